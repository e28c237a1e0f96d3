import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { AsyncSqliteTransport, SqliteTransport } from '../../index.ts';
import { assertSound } from './support/file-check.ts';
import { drain } from './support/sync-queue.ts';
import { inTempFolder } from './support/temp-folder.ts';

const open = (path: string) => new SqliteTransport({ path, durability: 'normal' });

for (const [name, Kind] of Object.entries({ SqliteTransport, AsyncSqliteTransport })) {
  describe(`backup of ${name}`, () => {
    it('writes a complete queue, which opens and goes on where the original was', () =>
      inTempFolder(async (folder) => {
        const queue = new Kind({ path: folder.file(), durability: 'normal' });
        await queue.publishMany(
          ['a', 'b', 'c', 'd'].map((event) => ({ groupId: event, event, priority: 3, routingKey: 'k' })),
        );
        const [a, b, c] = await queue.claimMany('w', 60_000, 3);
        assert.ok(a && b && c);
        await queue.ack(a);
        await queue.bury(b, { error: 'why' });
        const copy = folder.file('copy.db');
        await queue.backup(copy);
        await queue.publish('later', 'later');

        if (process.platform !== 'win32') assert.equal(statSync(copy).mode & 0o777, 0o600);
        const other = open(copy);
        assert.deepEqual(
          other.deadLetters().map(({ eventJson, error }) => [eventJson, error]),
          [['"b"', 'why']],
        );
        assert.deepEqual(other.holders().holders, [{ workerId: 'w', leases: 1 }]);
        assert.equal(other.claim('w2', 1000, { minPriority: 3, routingKeys: ['k'] })?.event, 'd');
        assert.equal(other.claim('w2', 1000), null, 'the lease of the original holds in the copy');
        other.ack(c);
        assert.equal(other.publish('new', 'new'), 5, 'the sequence goes on');
        other.close();
        assertSound(copy);
        await queue.close();
        assert.deepEqual(readdirSync(folder.path).sort(), ['copy.db', 'queue.db']);
      }));

    it('never replaces a file, and leaves nothing behind when it fails', () =>
      inTempFolder(async (folder) => {
        const queue = new Kind({ path: folder.file(), durability: 'normal' });
        await queue.publish('g', 1);
        const existing = folder.file('existing');
        writeFileSync(existing, 'mine');
        await assert.rejects(queue.backup(existing), { code: 'BAD_ARGUMENT', message: /existing exists/ });
        assert.equal(readFileSync(existing, 'utf8'), 'mine');
        const link = folder.file('link');
        symlinkSync(folder.file('nowhere'), link);
        await assert.rejects(queue.backup(link), { code: 'BAD_ARGUMENT' });
        unlinkSync(link);
        await assert.rejects(queue.backup(folder.file()), { code: 'BAD_ARGUMENT' });
        // The next opening would remove it as an old journal.
        await assert.rejects(queue.backup(`${folder.file()}-journal`), {
          code: 'BAD_ARGUMENT',
          message: /file that SQLite makes/,
        });
        await assert.rejects(queue.backup(folder.file('no/such/folder/copy.db')), { code: 'CANNOT_OPEN' });
        await assert.rejects(queue.backup(''), { code: 'BAD_ARGUMENT' });
        await assert.rejects(queue.backup(':memory:'), { code: 'BAD_ARGUMENT', message: /new file/ });
        await queue.close();
        await assert.rejects(queue.backup(folder.file('late.db')), { code: 'CLOSED' });
        assert.deepEqual(readdirSync(folder.path).sort(), ['existing', 'queue.db']);
      }));

    it('is consistent while messages are published', () =>
      inTempFolder(async (folder) => {
        const queue = new Kind({ path: folder.file(), durability: 'normal' });
        const event = 'x'.repeat(1000);
        await queue.publishMany(Array.from({ length: 2000 }, (_, n) => ({ groupId: `g${n}`, event })));
        const copy = folder.file('copy.db');
        let isDone = false;
        const backedUp = queue.backup(copy).finally(() => {
          isDone = true;
        });
        for (let n = 0; !isDone; n++) {
          await queue.publish('tail', n);
          await new Promise(setImmediate);
        }
        await backedUp;
        await queue.close();
        assertSound(copy);
        const other = open(copy);
        const tail = drain(other).filter((each) => each !== event);
        assert.deepEqual(
          tail,
          tail.map((_, n) => n),
        );
        other.close();
      }));
  });
}

describe('backup', () => {
  it("of a queue on the app's connection has what is committed, not what its open transaction wrote", () =>
    inTempFolder(async (folder) => {
      const app = new Database(folder.file());
      const queue = new SqliteTransport({ database: app, durability: 'normal' });
      queue.publish('g', 'committed');
      app.exec('BEGIN');
      queue.publish('g', 'open');
      await queue.backup(folder.file('copy.db'));
      app.exec('COMMIT');
      app.close();
      const copy = open(folder.file('copy.db'));
      assert.deepEqual(drain(copy), ['committed']);
      copy.close();
    }));

  it('of a queue in memory writes a file', () =>
    inTempFolder(async (folder) => {
      const queue = open(':memory:');
      queue.publish('g', 1);
      await queue.backup(folder.file());
      queue.close();
      const copy = open(folder.file());
      assert.deepEqual(drain(copy), [1]);
      copy.close();
    }));
});
