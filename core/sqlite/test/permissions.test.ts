import assert from 'node:assert/strict';
import { chmodSync, readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { hashOf } from './support/hash.ts';
import { runAll } from './support/program.ts';
import type { Refusal, RefusedArguments } from './support/refused.ts';
import { type SyncBench, withFile } from './support/sync-queue.ts';

describe('a file or folder without permission', { skip: process.platform === 'win32' }, () => {
  /** Runs a program without the permission, since the test itself may run as root. */
  const meet = async (args: RefusedArguments): Promise<Refusal> => {
    const [refusal] = await runAll<Refusal>([['refused', args]]);
    assert.ok(refusal);
    return refusal;
  };

  /** A queue in a folder that every user can read. */
  function published({ open, folder, file }: SyncBench): string {
    chmodSync(folder.path, 0o755);
    const queue = open();
    queue.publish('g', 1);
    queue.close();
    return hashOf(file);
  }

  it('opening a read-only file raises READ_ONLY or CANNOT_OPEN, and the file is unchanged', () =>
    withFile(async (bench) => {
      const before = published(bench);
      chmodSync(bench.file, 0o444);
      chmodSync(bench.folder.path, 0o777);
      const refusal = await meet({ file: bench.file });
      assert.match(refusal.code ?? '', /READ_ONLY|CANNOT_OPEN/, JSON.stringify(refusal));
      assert.ok(refusal.message?.includes(bench.file));
      assert.equal(hashOf(bench.file), before);
    }));

  it('opening a file in a read-only folder raises READ_ONLY or CANNOT_OPEN, and the file is unchanged', () =>
    withFile(async (bench) => {
      const before = published(bench);
      chmodSync(bench.file, 0o666);
      chmodSync(bench.folder.path, 0o555);
      const refusal = await meet({ file: bench.file });
      chmodSync(bench.folder.path, 0o755);
      assert.match(refusal.code ?? '', /READ_ONLY|CANNOT_OPEN/, JSON.stringify(refusal));
      assert.ok(refusal.message?.includes(bench.file));
      assert.equal(hashOf(bench.file), before);
    }));

  it('opening a new file in a read-only folder raises CANNOT_OPEN and creates no file', () =>
    withFile(async ({ folder, file }) => {
      chmodSync(folder.path, 0o555);
      const refusal = await meet({ file });
      chmodSync(folder.path, 0o755);
      assert.equal(refusal.code, 'CANNOT_OPEN', JSON.stringify(refusal));
      assert.deepEqual(readdirSync(folder.path), []);
    }));

  it('opening an unreadable file raises CANNOT_OPEN', () =>
    withFile(async (bench) => {
      const before = published(bench);
      chmodSync(bench.file, 0o000);
      const refusal = await meet({ file: bench.file });
      chmodSync(bench.file, 0o644);
      assert.equal(refusal.code, 'CANNOT_OPEN', JSON.stringify(refusal));
      assert.equal(hashOf(bench.file), before);
    }));
});
