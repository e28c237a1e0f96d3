import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { SqliteTransport } from '../../index.ts';
import { execute, rows } from './support/file-check.ts';
import { claim, withFile } from './support/sync-queue.ts';
import { inTempFolder } from './support/temp-folder.ts';

const HOUR = 3_600_000;

describe('what another program may write', () => {
  it('a lock whose holder is the empty text keeps its group blocked like any other', () =>
    withFile(({ open, file, clock }) => {
      const queue = open();
      queue.publish('g', 1);
      const until = clock.now() / 1_000 + 60;
      execute(file, `UPDATE harel_transport_messages SET locked_by = '', lock_expiry = ${until}`);
      assert.equal(queue.claim('w', 1_000), null);
      clock.advance(60_001);
      assert.equal(claim(queue).event, 1);
    }));

  it('a priority beyond what a double holds is released and claimed like any other', () =>
    withFile(({ open, file, clock }) => {
      const queue = open();
      queue.publish('g', 1);
      execute(file, 'UPDATE harel_transport_groups SET priority = 9007199254740993');
      queue.nack(claim(queue), 1_000);
      assert.equal(queue.claim('w', 1_000), null);
      clock.advance(1_001);
      assert.equal(claim(queue).event, 1);
    }));

  it('a publish that is between its two statements when a queue is opened keeps its priority and key', () =>
    inTempFolder(async (folder) => {
      const file = folder.file();
      new SqliteTransport({ path: file }).close();
      execute(file, "INSERT INTO harel_transport_messages (group_id, event) VALUES ('g', '1')");
      const flag = new SharedArrayBuffer(4);
      // On a thread: the open below waits on this one.
      const publisher = new Worker(
        `const { workerData } = require('node:worker_threads');
         const Database = require('better-sqlite3');
         const db = new Database(workerData.file);
         const insert = db.prepare(
           "INSERT OR IGNORE INTO harel_transport_groups (group_id, priority, routing_key) VALUES ('g', 4, 'k')");
         Atomics.store(new Int32Array(workerData.flag), 0, 1);
         Atomics.notify(new Int32Array(workerData.flag), 0);
         insert.run();
         db.close();`,
        { eval: true, workerData: { file, flag } },
      );
      const ended = new Promise((resolve) => publisher.once('exit', resolve));
      Atomics.wait(new Int32Array(flag), 0, 0);
      const queue = new SqliteTransport({ path: file });
      await ended;
      assert.equal(queue.claim('w', 1_000, { minPriority: 4, routingKeys: ['k'] })?.event, 1);
      queue.close();
    }));

  it('a lock that was set by hand behind the head of a group without a row blocks it once the row is mended', () =>
    withFile(({ open, file, clock }) => {
      open().close();
      const until = clock.now() / 1_000 + 60;
      execute(file, "INSERT INTO harel_transport_messages (group_id, event) VALUES ('g', '1'), ('g', '2')");
      execute(
        file,
        `UPDATE harel_transport_messages SET locked_by = '__parked__', lock_expiry = ${until} WHERE seq = 2`,
      );
      const queue = open();
      assert.equal(queue.claim('w', 1_000), null);
      clock.advance(60_001);
      assert.equal(claim(queue).event, 1);
    }));
});

describe('a clock that ran ahead and was put right', () => {
  it('leaves a lease from before alone', () =>
    withFile(({ open, file, clock }) => {
      const mine = open();
      const other = open();
      mine.publish('g', 1);
      const lease = claim(mine, 'mine', 30_000);
      clock.step(HOUR);
      mine.publish('h', 2);
      clock.step(-HOUR);
      mine.publish('h', 3);
      const [row] = rows(file, 'SELECT lock_expiry FROM harel_transport_messages WHERE seq = 1');
      assert.deepEqual({ ...row }, { lock_expiry: lease.expiresAt / 1_000 });
      assert.equal(other.claim('other', 1_000)?.groupId, 'h');
      assert.equal(other.claim('other', 1_000), null);
      mine.ack(lease);
    }));

  it('shortens what was locked while it ran ahead to its own visibility', () =>
    withFile(({ open, clock }) => {
      const queue = open();
      queue.publish('g', 1);
      clock.step(HOUR);
      claim(queue, 'w', 30_000);
      clock.step(-HOUR);
      queue.publish('h', 2);
      clock.advance(30_001);
      assert.deepEqual(
        queue.claimMany('w', 1_000, 9).map(({ groupId }) => groupId),
        ['h', 'g'],
      );
    }));
});

describe('a lease whose lock was moved by the clock', () => {
  it('settles after a settle of it was rolled back', () =>
    withFile(({ connect, open, clock }) => {
      const app = connect();
      const queue = open({ database: app });
      queue.publish('g', 1);
      const lease = claim(queue);
      clock.step(-60_000);
      queue.publish('h', 2);
      app.exec('BEGIN');
      queue.ack(lease);
      app.exec('ROLLBACK');
      queue.ack(lease);
      assert.deepEqual(
        queue.claimMany('w', 1_000, 9).map(({ groupId }) => groupId),
        ['h'],
      );
    }));
});

describe('a file that is refused', () => {
  it('stays as it is, to the byte, where the schema may not be made', () =>
    inTempFolder((folder) => {
      const file = folder.file();
      const foreign = new Database(file);
      foreign.exec('CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)');
      foreign.close();
      const before = readFileSync(file);
      assert.throws(() => new SqliteTransport({ path: file, createSchema: false }), { code: 'NOT_A_QUEUE' });
      assert.throws(() => new SqliteTransport({ path: file, readonly: true }), { code: 'NOT_A_QUEUE' });
      assert.deepEqual(readFileSync(file), before);
    }));

  it('is not made where it is missing and the schema may not be made', () =>
    inTempFolder((folder) => {
      assert.throws(() => new SqliteTransport({ path: folder.file(), createSchema: false }), {
        code: 'CANNOT_OPEN',
      });
      assert.throws(() => readFileSync(folder.file()), { code: 'ENOENT' });
    }));
});
