import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from './launch.ts';
import { chooseFromMenu, start, startPaused } from './support/app.ts';
import { deadLetters, indexRows, messages, publishedInAll } from './support/files.ts';
import { type Expected, makeTree, makeUnreadable } from './support/tree.ts';

function asExpected(data: string): Map<string, Expected> {
  return new Map(indexRows(data).map(({ path, size, sha256 }) => [path, { size, sha256 }]));
}

test('a folder is indexed to the end, and the file that cannot be read is buried with the reason', async ({
  app,
}) => {
  const folder = app.temporaryFolder();
  const expected = makeTree(folder, 200);
  makeUnreadable(folder, 'music/stuck.pipe');
  const { data, window } = await start(app, { folder });

  await expect.poll(() => deadLetters(data).length, { timeout: 30_000 }).toBe(1);
  await expect.poll(() => messages(data).length, { timeout: 30_000 }).toBe(0);
  expect(asExpected(data)).toEqual(expected);
  expect(indexRows(data).every(({ writes }) => writes === 1)).toBe(true);

  const [dead] = deadLetters(data);
  expect(JSON.parse(dead?.event ?? '')).toMatchObject({ path: 'music/stuck.pipe' });
  expect(dead).toMatchObject({ attempts: 3, last_error: expect.stringContaining('a named pipe') });
  await expect(window.getByText('200').first()).toBeVisible();
});

test('started again on the same folder, only what is new, changed or gone is looked at', async ({ app }) => {
  const folder = app.temporaryFolder();
  const expected = makeTree(folder, 60);
  const first = await start(app, { folder });
  const { data } = first;
  await expect.poll(() => indexRows(data).length).toBe(60);
  await first.close();

  const [changed = '', gone = ''] = expected.keys();
  writeFileSync(join(folder, changed), 'changed');
  writeFileSync(join(folder, 'new.txt'), 'new');
  rmSync(join(folder, gone));
  await start(app, { folder, data });

  const rowOf = (path: string) => indexRows(data).find((row) => row.path === path);
  await expect.poll(() => rowOf('new.txt')?.size).toBe(3);
  await expect.poll(() => rowOf(changed)?.size).toBe(7);
  await expect.poll(() => rowOf(gone)).toBeUndefined();
  expect(indexRows(data).filter(({ writes }) => writes > 1)).toEqual([rowOf(changed)]);
  expect(publishedInAll(data)).toBe(62);
});

test('paused, the walk goes on and nothing is read; resumed, everything is', async ({ app }) => {
  const folder = app.temporaryFolder();
  makeTree(folder, 60);
  const { data, electron } = await startPaused(app, { folder });
  await expect.poll(() => messages(data).length).toBe(60);
  expect(indexRows(data)).toEqual([]);
  await chooseFromMenu(electron, 'Resume');
  await expect.poll(() => indexRows(data).length).toBe(60);
  await expect.poll(() => messages(data).length).toBe(0);
});

test('closed in the middle, it gives back what it held and publishes no file again', async ({ app }) => {
  const folder = app.temporaryFolder();
  const expected = makeTree(folder, 1_000);
  const first = await start(app, { folder });
  const { data } = first;
  await expect.poll(() => indexRows(data).length).toBeGreaterThan(50);
  await first.close();
  expect(messages(data).filter(({ locked_by }) => locked_by !== null)).toEqual([]);
  expect(indexRows(data).length).toBeLessThan(1_000);

  await start(app, { folder, data });
  await expect.poll(() => indexRows(data).length, { timeout: 30_000 }).toBe(1_000);
  await expect.poll(() => messages(data).length).toBe(0);
  expect(asExpected(data)).toEqual(expected);
  expect(publishedInAll(data)).toBe(1_000);
});
