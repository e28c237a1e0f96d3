import { indexRows, messages } from './support/files.ts';
import { expect, test } from './support/fixtures.ts';
import { makeTree } from './support/tree.ts';

test('an app that is killed three times while it works loses no file and indexes none twice', async ({
  launcher,
}) => {
  test.setTimeout(180_000);
  const folder = launcher.temporaryFolder();
  const data = launcher.temporaryFolder('data');
  const expected = makeTree(folder, 3_000);

  let before = 0;
  for (const more of [1, 300, 600]) {
    const running = await launcher.launch({ folder, data });
    await expect
      .poll(() => indexRows(data).length, { intervals: [20], timeout: 60_000 })
      .toBeGreaterThan(before + more);
    await running.kill();
    before = indexRows(data).length;
    expect(before).toBeLessThan(3_000);
  }

  await launcher.launch({ folder, data });
  await expect.poll(() => indexRows(data).length, { timeout: 90_000 }).toBe(3_000);
  await expect.poll(() => messages(data).length).toBe(0);
  const rows = indexRows(data);
  expect(new Map(rows.map(({ path, size, sha256 }) => [path, { size, sha256 }]))).toEqual(expected);
  expect(rows.filter(({ writes }) => writes !== 1)).toEqual([]);
});
