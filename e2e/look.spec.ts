/** Each view in both themes and several widths has no axe violations. Each test leaves pictures in out/ to look at. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { expect, type Launcher, test } from './launch.ts';
import { expectAccessible } from './support/accessibility.ts';
import { openInspector, openMessage, resize, setTheme, start, startPaused } from './support/app.ts';
import { claimElsewhere, deadLetters, messages } from './support/files.ts';
import { makeTree, makeUnreadable } from './support/tree.ts';

const out = fileURLToPath(new URL('../out/', import.meta.url));
mkdirSync(out, { recursive: true });

const picture = (page: Page, name: string) => page.screenshot({ path: `${out}${name}.png` });

async function inBothThemes(running: Awaited<ReturnType<typeof start>>, page: Page, name: string) {
  // By default Playwright makes pages light whatever the system's theme is.
  await page.emulateMedia({ colorScheme: null });
  for (const theme of ['light', 'dark'] as const) {
    await setTheme(running.electron, theme);
    const isDark = () => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
    await expect.poll(isDark).toBe(theme === 'dark');
    await expectAccessible(page);
    await picture(page, `${name}-${theme}`);
  }
}

/** A paused queue of 300 files, with one leased and one parked message. */
async function stage(app: Launcher) {
  const folder = app.temporaryFolder();
  makeTree(folder, 300);
  const running = await startPaused(app, { folder });
  const { data } = running;
  await expect.poll(() => messages(data).length).toBe(300);
  const [first, ...rest] = messages(data);
  const parked = first?.seq ?? 0;
  claimElsewhere(data, parked, '__parked__');
  const held = rest.find(({ group_id }) => group_id !== first?.group_id)?.seq ?? 0;
  claimElsewhere(data, held, 'folder-index:4711');
  return { ...running, parked };
}

test('all inspector views of a filled queue are accessible in both themes', async ({ app }) => {
  const running = await stage(app);
  const inspector = await openInspector(running);
  await expect(inspector.getByRole('grid')).toContainText('Parked');
  await inBothThemes(running, inspector, 'inspector-groups');
  const side = await openMessage(inspector, running.parked);
  await inBothThemes(running, inspector, 'inspector-message');
  await side.getByRole('button', { name: 'Re-publish', exact: true }).click();
  const text = side.getByRole('textbox', { name: 'Event' });
  await text.fill((await text.inputValue()).replace('file', 'old file'));
  await expect(side.getByRole('region', { name: 'Changes' })).toBeVisible();
  await inBothThemes(running, inspector, 'inspector-republish');
  await inspector.keyboard.press('Escape');
  await resize(running.electron, /Background jobs/, 480, 640);
  await inBothThemes(running, inspector, 'inspector-narrow');
});

test('all inspector views of an empty queue and of a dead letter are accessible in both themes', async ({
  app,
}) => {
  const folder = app.temporaryFolder();
  makeUnreadable(folder, 'stuck.pipe');
  const running = await start(app, { folder });
  const { data, window } = running;
  await expect.poll(() => deadLetters(data).length, { timeout: 20_000 }).toBe(1);
  const inspector = await openInspector(running);
  await expect(inspector.getByRole('heading', { name: 'No groups' })).toBeVisible();
  await inBothThemes(running, inspector, 'inspector-empty');
  await inspector.getByRole('link', { name: /Dead/ }).click();
  await expect(inspector.getByRole('grid', { name: 'Messages' })).toContainText('named pipe');
  await inBothThemes(running, inspector, 'inspector-dead');
  await inBothThemes(running, window, 'folder-index-done');
});

test('the Folder Index window is accessible in both themes while it is paused', async ({ app }) => {
  const running = await stage(app);
  await inBothThemes(running, running.window, 'folder-index-paused');
  await resize(running.electron, /Folder Index/, 400, 400);
  await inBothThemes(running, running.window, 'folder-index-small');
});
