import { expect, type Page } from '@playwright/test';
import axe from 'axe-core';

/** Runs axe in the page and expects no violations. */
export async function expectAccessible(page: Page): Promise<void> {
  // Evaluated, because the page's content security policy refuses added scripts.
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe: checker } = window as unknown as { axe: typeof import('axe-core') };
    const found = await checker.run(document);
    return found.violations.map(({ id, help, nodes }) => ({ id, help, at: nodes.map(({ html }) => html) }));
  });
  expect(violations).toEqual([]);
}
