import type { Page } from '@playwright/test';
import axe from 'axe-core';
import { expect } from '../launch.ts';

/** Runs axe in the page and expects that it has nothing to object to. */
export async function expectAccessible(page: Page): Promise<void> {
  // Evaluated, not added as a script: the page's policy would refuse that.
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe: checker } = window as unknown as { axe: typeof import('axe-core') };
    const found = await checker.run(document);
    return found.violations.map(({ id, help, nodes }) => ({ id, help, at: nodes.map(({ html }) => html) }));
  });
  expect(violations).toEqual([]);
}
