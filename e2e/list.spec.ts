import { openInspector } from './support/app.ts';
import { ackElsewhere, messages, publishElsewhere } from './support/files.ts';
import { expect, test } from './support/fixtures.ts';
import type { Launcher } from './support/launcher.ts';
import { makeTree } from './support/tree.ts';

const FILES = 9;
const MORE = 100_000;
const TOTAL = FILES + MORE;
const ROW_HEIGHT = 28;

/** The messages page over 100,009 messages. */
async function stage(launcher: Launcher) {
  const folder = launcher.temporaryFolder();
  makeTree(folder, FILES);
  const running = await launcher.launch({ folder, paused: true });
  const { data } = running;
  await expect.poll(() => messages(data).length).toBe(FILES);
  publishElsewhere(data, 'letters', MORE);
  const inspector = await openInspector(running);
  await inspector.bringToFront();
  await inspector.keyboard.press('2');
  const grid = inspector.getByRole('grid', { name: 'Messages' });
  await expect(grid).toBeFocused();
  const row = (seq: number) =>
    grid
      .getByRole('row')
      .filter({ has: inspector.getByRole('gridcell', { name: String(seq), exact: true }) });
  await expect(row(1)).toBeVisible();
  return { data, inspector, grid, row, status: inspector.locator('footer') };
}

test('End and Home reach the last and the first of 100,009 messages, and scrolling reaches those between', async ({
  launcher,
}) => {
  const { inspector, grid, row, status } = await stage(launcher);
  await expect(status).toContainText('100,009 messages');
  await inspector.keyboard.press('End');
  await expect(row(TOTAL)).toBeInViewport();
  await grid.evaluate((element, top) => {
    element.scrollTop = top;
  }, 50_000 * ROW_HEIGHT);
  await expect(row(50_005)).toBeInViewport();
  await inspector.keyboard.press('Home');
  await expect(row(1)).toBeInViewport();
});

test('changes wait while the pointer is pressed on the rows, and show when it is released elsewhere', async ({
  launcher,
}) => {
  const { data, inspector, row, status } = await stage(launcher);
  await row(3).hover();
  await inspector.mouse.down();
  ackElsewhere(data, 1);
  await expect(status.getByRole('button', { name: /^Changes waiting/ })).toBeVisible();
  await expect(row(1)).toBeVisible();
  await status.hover();
  await inspector.mouse.up();
  await expect(row(1)).toHaveCount(0);
  await expect(status).toContainText('100,008 messages');
  await expect(status.getByRole('button', { name: /^Changes waiting/ })).toHaveCount(0);
});

test('the visible rows stay in place when rows above them are removed', async ({ launcher }) => {
  const { data, grid, row, status } = await stage(launcher);
  await grid.evaluate((element, top) => {
    element.scrollTop = top;
  }, 1000 * ROW_HEIGHT);
  await expect(row(1005)).toBeInViewport();
  const before = await row(1005).boundingBox();
  ackElsewhere(data, 40);
  await expect(status).toContainText('99,969 messages');
  expect((await row(1005).boundingBox())?.y).toBe(before?.y);
});
