/** Each view in both themes and several widths has no axe violations. Each test leaves pictures in out/ to look at. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { closeOtherWindows, openInspector, openMessage, resize, setTheme } from './support/app.ts';
import { claimElsewhere, deadLetters, messages } from './support/files.ts';
import { expect, shareApp, test } from './support/fixtures.ts';
import type { RunningApp } from './support/running-app.ts';
import { makeTree, makeUnreadable } from './support/tree.ts';

const out = fileURLToPath(new URL('../out/', import.meta.url));
mkdirSync(out, { recursive: true });

async function inBothThemes({ electron }: RunningApp, page: Page, name: string) {
  // Playwright sets the colour scheme of pages to light. Null lets them follow the system.
  await page.emulateMedia({ colorScheme: null });
  for (const theme of ['light', 'dark'] as const) {
    await setTheme(electron, theme);
    const isDark = () => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
    await expect.poll(isDark).toBe(theme === 'dark');
    await expectAccessible(page);
    await page.screenshot({ path: `${out}${name}-${theme}.png` });
  }
}

test.describe('with a paused queue', () => {
  /** 300 messages. One is parked, and one is leased by a worker. */
  const shared = shareApp(async (launcher) => {
    const folder = launcher.temporaryFolder();
    makeTree(folder, 300);
    const app = await launcher.launch({ folder, paused: true });
    const { data } = app;
    await expect.poll(() => messages(data).length).toBe(300);
    const [first, ...rest] = messages(data);
    const parked = first?.seq ?? 0;
    claimElsewhere(data, parked, '__parked__');
    const leased = rest.find(({ group_id }) => group_id !== first?.group_id)?.seq ?? 0;
    claimElsewhere(data, leased, 'folder-index:4711');
    return { app, parked };
  });

  test.afterEach(() => closeOtherWindows(shared().app));

  test('all inspector views of a filled queue are accessible in both themes', async () => {
    const { app, parked } = shared();
    const inspector = await openInspector(app);
    await expect(inspector.getByRole('grid')).toContainText('Parked');
    await inBothThemes(app, inspector, 'inspector-groups');
    const side = await openMessage(inspector, parked);
    await inBothThemes(app, inspector, 'inspector-message');
    await side.getByRole('button', { name: 'Re-publish', exact: true }).click();
    const text = side.getByRole('textbox', { name: 'Event' });
    await text.fill((await text.inputValue()).replace('file', 'old file'));
    await expect(side.getByRole('region', { name: 'Changes' })).toBeVisible();
    await inBothThemes(app, inspector, 'inspector-republish');
    await inspector.keyboard.press('Escape');
    await resize(app.electron, 'Background jobs', 480, 640);
    await inBothThemes(app, inspector, 'inspector-narrow');
  });

  test('the Folder Index window is accessible in both themes while it is paused', async () => {
    const { app } = shared();
    await inBothThemes(app, app.window, 'folder-index-paused');
    await resize(app.electron, 'Folder Index', 400, 400);
    await inBothThemes(app, app.window, 'folder-index-small');
  });
});

test('all inspector views of an empty queue and of a dead letter are accessible in both themes', async ({
  launcher,
}) => {
  const folder = launcher.temporaryFolder();
  makeUnreadable(folder, 'stuck.pipe');
  const app = await launcher.launch({ folder });
  await expect.poll(() => deadLetters(app.data).length, { timeout: 20_000 }).toBe(1);
  const inspector = await openInspector(app);
  await expect(inspector.getByRole('heading', { name: 'No groups' })).toBeVisible();
  await inBothThemes(app, inspector, 'inspector-empty');
  await inspector.getByRole('link', { name: /Dead/ }).click();
  await expect(inspector.getByRole('grid', { name: 'Messages' })).toContainText('named pipe');
  await inBothThemes(app, inspector, 'inspector-dead');
  await inBothThemes(app, app.window, 'folder-index-done');
});
