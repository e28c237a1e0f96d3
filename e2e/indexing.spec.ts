import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chooseFromMenu } from './support/app.ts';
import { deadLetters, indexRows, lastSeq, messages } from './support/files.ts';
import { expect, test } from './support/fixtures.ts';
import { type Expected, makeTree, makeUnreadable } from './support/tree.ts';

function indexed(data: string): Map<string, Expected> {
  return new Map(indexRows(data).map(({ path, size, sha256 }) => [path, { size, sha256 }]));
}

test('every file of a folder is indexed, and a file that cannot be read is buried with the reason', async ({
  launcher,
}) => {
  const folder = launcher.temporaryFolder();
  const expected = makeTree(folder, 200);
  makeUnreadable(folder, 'music/stuck.pipe');
  const { data, window } = await launcher.launch({ folder });

  await expect.poll(() => deadLetters(data).length, { timeout: 30_000 }).toBe(1);
  await expect.poll(() => messages(data).length, { timeout: 30_000 }).toBe(0);
  expect(indexed(data)).toEqual(expected);
  expect(indexRows(data).every(({ writes }) => writes === 1)).toBe(true);

  const [dead] = deadLetters(data);
  expect(JSON.parse(dead?.event ?? '')).toMatchObject({ path: 'music/stuck.pipe' });
  expect(dead).toMatchObject({ attempts: 3, last_error: expect.stringContaining('a named pipe') });
  await expect(window.getByText('200').first()).toBeVisible();
});

test('a second start on the same folder processes only new, changed and deleted files', async ({
  launcher,
}) => {
  const folder = launcher.temporaryFolder();
  const expected = makeTree(folder, 60);
  const first = await launcher.launch({ folder });
  const { data } = first;
  await expect.poll(() => indexRows(data).length).toBe(60);
  await first.close();

  const [changed = '', gone = ''] = expected.keys();
  writeFileSync(join(folder, changed), 'changed');
  writeFileSync(join(folder, 'new.txt'), 'new');
  rmSync(join(folder, gone));
  await launcher.launch({ folder, data });

  const rowOf = (path: string) => indexRows(data).find((row) => row.path === path);
  await expect.poll(() => rowOf('new.txt')?.size).toBe(3);
  await expect.poll(() => rowOf(changed)?.size).toBe(7);
  await expect.poll(() => rowOf(gone)).toBeUndefined();
  expect(indexRows(data).filter(({ writes }) => writes > 1)).toEqual([rowOf(changed)]);
  expect(lastSeq(data)).toBe(62);
});

test('a paused app publishes all files and reads none until it is resumed', async ({ launcher }) => {
  const folder = launcher.temporaryFolder();
  makeTree(folder, 60);
  const { data, electron } = await launcher.launch({ folder, paused: true });
  await expect.poll(() => messages(data).length).toBe(60);
  expect(indexRows(data)).toEqual([]);
  await chooseFromMenu(electron, 'Resume');
  await expect.poll(() => indexRows(data).length).toBe(60);
  await expect.poll(() => messages(data).length).toBe(0);
});

test('an app that is closed while it works releases its leases, and the next start publishes no file again', async ({
  launcher,
}) => {
  const folder = launcher.temporaryFolder();
  const expected = makeTree(folder, 1_000);
  const first = await launcher.launch({ folder });
  const { data } = first;
  await expect.poll(() => indexRows(data).length).toBeGreaterThan(50);
  await first.close();
  expect(messages(data).filter(({ locked_by }) => locked_by !== null)).toEqual([]);
  expect(indexRows(data).length).toBeLessThan(1_000);

  await launcher.launch({ folder, data });
  await expect.poll(() => indexRows(data).length, { timeout: 30_000 }).toBe(1_000);
  await expect.poll(() => messages(data).length).toBe(0);
  expect(indexed(data)).toEqual(expected);
  expect(lastSeq(data)).toBe(1_000);
});
