import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { SqliteTransport } from '../../index.ts';
import { hashOf } from './support/hash.ts';
import { secondDriver } from './support/second-driver.ts';
import { drain, withFile } from './support/sync-queue.ts';
import { TempFolder } from './support/temp-folder.ts';

describe("a connection of the app's own", () => {
  it('a connection of another copy of better-sqlite3 is refused with the paths of both, and the file keeps its bytes', () =>
    withFile(({ open, file }) => {
      using apart = new TempFolder();
      open().close();
      const before = hashOf(file);
      const database = new (secondDriver(apart.path))(file);
      try {
        assert.throws(
          () => new SqliteTransport({ database }),
          (error: Error & { code: string }) => {
            assert.equal(error.code, 'BAD_ARGUMENT');
            const paths = error.message.match(/\(([^()]*\.node)\)/g) ?? [];
            assert.equal(paths.length, 2, error.message);
            assert.ok(paths[0]?.includes(apart.path), 'the first is the copy of the connection');
            assert.match(error.message, /npm ls better-sqlite3/);
            return true;
          },
        );
      } finally {
        database.close();
      }
      assert.equal(hashOf(file), before);
    }));

  it("a connection of the package's entry point for one platform is of the same copy", (t) => {
    let Platform: typeof Database;
    try {
      Platform = createRequire(import.meta.url)(`better-sqlite3/${process.platform}-${process.arch}`);
    } catch {
      return t.skip('the package has no such entry point for this machine');
    }
    assert.notEqual(Platform, Database);
    const database = new Platform(':memory:');
    const queue = new SqliteTransport({ database });
    queue.publish('g', 1);
    assert.deepEqual(drain(queue), [1]);
    queue.close();
    database.close();
  });

  it('an object that only looks like a connection is refused', () => {
    const database = { prepare() {}, open: true } as unknown as Database.Database;
    assert.throws(() => new SqliteTransport({ database }), { code: 'BAD_ARGUMENT' });
  });
});

describe('another SQLite library in the process', { skip: process.platform === 'win32' }, () => {
  it('is told once by a warning with the remedy while it has the file open, and never for other files', async () => {
    const warnings: (Error & { code?: string })[] = [];
    const onWarning = (warning: Error) => {
      if (warning.name === 'LeaseholdWarning') warnings.push(warning);
    };
    process.on('warning', onWarning);
    // Warnings are emitted in a later tick.
    const told = () => new Promise((resolve) => setImmediate(resolve)).then(() => warnings.length);
    try {
      await withFile(async ({ open, file, folder, clock }) => {
        const queue = open();
        open();
        const publishForAWhile = () => {
          for (let second = 0; second < 12; second++) {
            clock.advance(1_001);
            queue.publish('g', second);
          }
        };
        const elsewhere = new DatabaseSync(folder.file('other.db'));
        elsewhere.exec('PRAGMA journal_mode = WAL; CREATE TABLE mine (id)');
        publishForAWhile();
        assert.equal(await told(), 0, 'several connections of one library');
        const second = new DatabaseSync(file);
        second.exec('SELECT COUNT(*) FROM harel_transport_messages');
        publishForAWhile();
        publishForAWhile();
        open();
        assert.equal(await told(), 1);
        assert.equal(warnings[0]?.code, 'LEASEHOLD_SECOND_SQLITE');
        assert.ok(warnings[0]?.message.includes(file));
        second.close();
        elsewhere.close();
      });
    } finally {
      process.off('warning', onWarning);
    }
  });

  it('that closes the file and so deletes the log is noticed within a second, and nothing that was published is lost', () =>
    withFile(({ open, file, clock }) => {
      const queue = open();
      queue.publish('g', 0);
      const second = new DatabaseSync(file);
      second.exec('SELECT COUNT(*) FROM harel_transport_messages');
      second.close();
      for (let n = 1; n < 5; n++) queue.publish('g', n);
      clock.advance(1_001);
      assert.throws(() => queue.publish('g', 5), { code: 'FILE_REPLACED', message: /lost its log/ });
      assert.deepEqual(drain(open()), [0, 1, 2, 3, 4]);
    }));
});
