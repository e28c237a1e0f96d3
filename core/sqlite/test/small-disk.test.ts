import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs, { readdirSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SqliteTransport } from '../../index.ts';
import { drain } from './support/sync-queue.ts';
import { inTempFolder } from './support/temp-folder.ts';

const REAL_BYTES = 3 * 2 ** 20;
/** Small, because a checkpoint takes longer on an ordinary disk than on one in memory. */
const SIMULATED_BYTES = 2 ** 20;

const open = (folder: string) =>
  new SqliteTransport({ path: join(folder, 'queue.db'), durability: 'normal' });

/** Publishes until the disk is full, and returns how many messages there are. */
function fill(queue: SqliteTransport, afterEach: () => void = () => {}): number {
  for (let count = 0; ; count++, afterEach()) {
    try {
      queue.publish(`g${count % 10}`, 'x'.repeat(1000));
    } catch (error) {
      assert.equal((error as { code?: unknown }).code, 'DISK_FULL');
      return count;
    }
    assert.ok(count < 5000, 'the disk is never full');
  }
}

/** A queue on a small disk is usable at each point: full, opened again, drained, and full again. */
function exhaust(folder: string, afterEach?: () => void): void {
  const queue = open(folder);
  const count = fill(queue, afterEach);
  assert.ok(count > 250, `only ${count} messages of 1 kB fitted`);
  const second = open(folder);
  assert.throws(() => second.publish('g', 'x'.repeat(100_000)), { code: 'DISK_FULL' });
  second.close();
  queue.close();
  const third = open(folder);
  assert.equal(drain(third).length, count);
  assert.ok(fill(third, afterEach) >= count, 'the space of drained messages is lost');
  assert.ok(drain(third).length >= count);
  third.close();
  assert.deepEqual(readdirSync(folder), ['queue.db']);
}

/** Runs `body` with a real disk of 3 MB. False where that is not permitted. */
function onRealDisk(folder: string, body: () => void): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${REAL_BYTES}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return false;
  }
  try {
    body();
  } finally {
    execFileSync('umount', [folder]);
  }
  return true;
}

const mayMount = await inTempFolder(({ path }) => onRealDisk(path, () => {}));

describe('a small disk', () => {
  it('stays usable when it is full, and after the file is opened again (the free space is simulated)', (t) =>
    inTempFolder(({ path }) => {
      const used = () =>
        readdirSync(path)
          .map((name) => statSync(join(path, name)).size)
          .reduce((sum, size) => sum + size, 0);
      t.mock.method(fs, 'statfsSync', () => ({ bavail: Math.max(0, SIMULATED_BYTES - used()), bsize: 1 }));
      syncBuiltinESMExports();
      try {
        exhaust(path, () => assert.ok(used() <= SIMULATED_BYTES, `${used()} bytes do not fit`));
      } finally {
        t.mock.restoreAll();
        syncBuiltinESMExports();
      }
    }));

  it(
    `stays usable when it is full, and after the file is opened again (${mayMount ? 'a real disk' : 'NOT TESTED on a real disk: this machine permits no mount'})`,
    { skip: !mayMount },
    () =>
      inTempFolder(({ path }) => {
        onRealDisk(path, () => exhaust(path));
      }),
  );
});
