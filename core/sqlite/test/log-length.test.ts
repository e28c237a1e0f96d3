import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { build } from 'vite';
import { AsyncSqliteTransport, SqliteTransport, type Transport } from '../../index.ts';
import { type CheckpointResult, logLength } from '../checkpoints/log.ts';
import { runAll } from './support/program.ts';
import { inTempFolder } from './support/temp-folder.ts';
import { logBytes, writeLog } from './support/write-log.ts';

const MB = 1e6;
const KINDS = { SqliteTransport, AsyncSqliteTransport };

/** Writes until the log's file is shorter than `bytes`; the number of writes is bounded, the time is not. */
async function writeUntilShorter(queue: Transport, path: string, bytes: number): Promise<void> {
  for (let n = 0; n < 500 && logBytes(path) > bytes; n++) await writeLog(queue, 1);
  const length = logBytes(path);
  assert.ok(length <= bytes, `the log still has ${Math.round(length / MB)} MB`);
}

for (const [name, Kind] of Object.entries(KINDS)) {
  describe(`the log of ${name}`, () => {
    it('is cut back after a reader that held its snapshot for a long time has ended', () =>
      inTempFolder(async (folder) => {
        const path = folder.file();
        const queue: Transport = new Kind({ path, durability: 'normal' });
        await queue.publish('g', 1);
        const reader = new Database(path, { readonly: true });
        reader.exec('BEGIN');
        reader.prepare('SELECT count(*) FROM harel_transport_messages').get();
        await writeLog(queue, 30);
        const whileRead = logBytes(path);
        assert.ok(whileRead > 30 * MB, 'the reader did not hold the log');
        reader.close();
        await writeUntilShorter(queue, path, 17 * MB);
        await queue.close();
      }));

    it('is gone after close', () =>
      inTempFolder(async (folder) => {
        const path = folder.file();
        const queue: Transport = new Kind({ path, durability: 'normal' });
        await writeLog(queue, 12);
        await queue.close();
        assert.deepEqual(readdirSync(folder.path), ['queue.db']);
        assert.deepEqual(folder.openHandles(), []);
      }));
  });
}

describe('the checkpoint thread of SqliteTransport', () => {
  it('serves two transports on one file, and ends with the second', () =>
    inTempFolder(async (folder) => {
      const path = folder.file();
      const first = new SqliteTransport({ path, durability: 'normal' });
      const second = new SqliteTransport({ path, durability: 'normal' });
      await writeLog(first, 12);
      await writeLog(second, 5);
      first.close();
      await writeLog(second, 5);
      second.close();
      assert.deepEqual(readdirSync(folder.path), ['queue.db']);
      assert.deepEqual(folder.openHandles(), []);
    }));

  it('does not keep a process alive that did not close its transport', () =>
    inTempFolder(async (folder) => {
      const path = folder.file();
      await runAll([['log-left-open', { path }]]);
      assert.ok(existsSync(path));
    }));

  it('is not needed: without its file, the connection checkpoints by itself', () =>
    inTempFolder(async (folder) => {
      const outDir = mkdtempSync(join(tmpdir(), 'leasehold-test-bundle-'));
      try {
        const root = fileURLToPath(new URL('../../..', import.meta.url));
        const entry = join(root, 'core/index.ts');
        const output = { format: 'es', entryFileNames: 'core.mjs' } as const;
        await build({
          root,
          configFile: false,
          logLevel: 'error',
          build: { ssr: entry, outDir, emptyOutDir: false, rolldownOptions: { output } },
        });
        symlinkSync(join(root, 'node_modules'), join(outDir, 'node_modules'), 'junction');
        const bundle = (await import(pathToFileURL(join(outDir, 'core.mjs')).href)) as {
          SqliteTransport: typeof SqliteTransport;
        };
        const path = folder.file();
        const queue = new bundle.SqliteTransport({ path, durability: 'normal' });
        await writeLog(queue, 30);
        assert.ok(logBytes(path) < 20 * MB, `the log has ${logBytes(path)} bytes`);
        queue.close();
        assert.deepEqual(readdirSync(folder.path), ['queue.db']);
      } finally {
        rmSync(outDir, { recursive: true });
      }
    }));

  it("leaves the log of an app's own connection to the app", () =>
    inTempFolder(async (folder) => {
      const app = new Database(folder.file());
      app.pragma('wal_autocheckpoint = 123');
      app.pragma('journal_size_limit = 4567');
      const queue = new SqliteTransport({ database: app, durability: 'normal' });
      await writeLog(queue, 5);
      queue.close();
      assert.equal(app.pragma('wal_autocheckpoint', { simple: true }), 123);
      assert.equal(app.pragma('journal_size_limit', { simple: true }), 4567);
      app.close();
    }));
});

describe("a checkpoint on the main thread, with durability 'full'", () => {
  /** Makes the log longer than a checkpoint lets it be, in a few commits, and returns what another connection sees of it. */
  function withLongLog(
    run: (queue: SqliteTransport, state: () => CheckpointResult) => unknown,
  ): Promise<void> {
    return inTempFolder(async (folder) => {
      const queue = new SqliteTransport({ path: folder.file(), durability: 'full' });
      const other = new Database(folder.file());
      const event = 'x'.repeat(100_000);
      for (let n = 0; n < 30; n++) queue.publish('g', event);
      await run(queue, () => logLength(other));
      other.close();
      queue.close();
    });
  }

  it('waits until the turn of the commit has ended', () =>
    withLongLog(async (_queue, state) => {
      assert.equal(state().checkpointed, 0);
      await new Promise(setImmediate);
      const { log, checkpointed } = state();
      assert.ok(log > 1000);
      assert.equal(checkpointed, log);
    }));

  it('does not wait for a caller that never leaves its turn', () =>
    withLongLog((queue, state) => {
      for (let n = 0; n < 100; n++) queue.publish('g', n);
      // The next commit began the log anew.
      assert.ok(state().log < 1000);
    }));
});
