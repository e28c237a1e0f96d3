import { closeOtherWindows, openInspector } from './support/app.ts';
import { ackElsewhere, firstSeq, lastSeq, messages, publishElsewhere } from './support/files.ts';
import { expect, shareApp, test } from './support/fixtures.ts';
import { makeTree } from './support/tree.ts';

const FILES = 9;
const MORE = 100_000;
const ROW_HEIGHT = 28;

/** A paused app with 100,009 messages. Tests ack only the first ones, so that the seqs have no gaps. */
const app = shareApp(async (launcher) => {
  const folder = launcher.temporaryFolder();
  makeTree(folder, FILES);
  const running = await launcher.launch({ folder, paused: true });
  await expect.poll(() => messages(running.data).length).toBe(FILES);
  publishElsewhere(running.data, 'letters', MORE);
  return running;
});

test.afterEach(() => closeOtherWindows(app()));

/** Opens the messages page. */
async function inspect() {
  const { data } = app();
  const first = firstSeq(data);
  const last = lastSeq(data);
  const inspector = await openInspector(app());
  await inspector.bringToFront();
  await inspector.keyboard.press('2');
  const grid = inspector.getByRole('grid', { name: 'Messages' });
  await expect(grid).toBeFocused();
  const row = (seq: number) =>
    grid
      .getByRole('row')
      .filter({ has: inspector.getByRole('gridcell', { name: String(seq), exact: true }) });
  await expect(row(first)).toBeVisible();
  const status = inspector.locator('footer');
  const expectCount = (count: number) =>
    expect(status).toContainText(`${count.toLocaleString('en')} messages`);
  return { data, first, last, count: last - first + 1, inspector, grid, row, status, expectCount };
}

test('End and Home reach the last and the first of 100,000 messages, and scrolling reaches those between', async () => {
  const { first, last, count, inspector, grid, row, expectCount } = await inspect();
  await expectCount(count);
  await inspector.keyboard.press('End');
  await expect(row(last)).toBeInViewport();
  await grid.evaluate((element, top) => {
    element.scrollTop = top;
  }, 50_000 * ROW_HEIGHT);
  await expect(row(first + 50_004)).toBeInViewport();
  await inspector.keyboard.press('Home');
  await expect(row(first)).toBeInViewport();
});

test('changes wait while the pointer is pressed on the rows, and show when it is released elsewhere', async () => {
  const { data, first, count, inspector, row, status, expectCount } = await inspect();
  await row(first + 2).hover();
  await inspector.mouse.down();
  ackElsewhere(data, 1);
  await expect(status.getByRole('button', { name: /^Changes waiting/ })).toBeVisible();
  await expect(row(first)).toBeVisible();
  await status.hover();
  await inspector.mouse.up();
  await expect(row(first)).toHaveCount(0);
  await expectCount(count - 1);
  await expect(status.getByRole('button', { name: /^Changes waiting/ })).toHaveCount(0);
});

test('the visible rows stay in place when rows above them are removed', async () => {
  const { data, first, count, grid, row, expectCount } = await inspect();
  const seq = first + 1_004;
  await grid.evaluate((element, top) => {
    element.scrollTop = top;
  }, 1_000 * ROW_HEIGHT);
  await expect(row(seq)).toBeInViewport();
  const before = await row(seq).boundingBox();
  ackElsewhere(data, 40);
  await expectCount(count - 40);
  expect((await row(seq).boundingBox())?.y).toBe(before?.y);
});
