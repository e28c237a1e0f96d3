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

describe('a file with unusual values of another program', () => {
  it('a lock whose holder is the empty string blocks its group', () =>
    withFile(({ open, file, clock }) => {
      const queue = open();
      queue.publish('g', 1);
      const until = clock.now() / 1_000 + 60;
      execute(file, `UPDATE harel_transport_messages SET locked_by = '', lock_expiry = ${until}`);
      assert.equal(queue.claim('w', 1_000), null);
      clock.advance(60_001);
      assert.equal(claim(queue).event, 1);
    }));

  it('a group with a priority beyond 2^53 is claimed, and claimed again after its lease lapsed', () =>
    withFile(({ open, file, clock }) => {
      const queue = open();
      queue.publish('g', 1);
      execute(file, 'UPDATE harel_transport_groups SET priority = 9007199254740993');
      queue.nack(claim(queue), 1_000);
      assert.equal(queue.claim('w', 1_000), null);
      clock.advance(1_001);
      assert.equal(claim(queue).event, 1);
    }));

  // A trigger sees an INSERT without a seq as one of seq -1.
  for (const seq of [-1, 0, 7])
    it(`a REPLACE that moves locked message ${seq} to another group frees the group that it was in`, () =>
      withFile(({ open, file, clock }) => {
        const queue = open();
        const put = (groupId: string, lock: string) =>
          execute(
            file,
            `REPLACE INTO harel_transport_messages (seq, group_id, event, locked_by, lock_expiry)
             VALUES (${seq}, '${groupId}', '"${groupId}"', ${lock})`,
          );
        put('left', `'other', ${clock.now() / 1_000 + 60}`);
        queue.publish('left', 'behind it');
        queue.publish('entered', 'last');
        assert.equal(claim(queue).event, 'last');
        put('entered', 'NULL, NULL');
        assert.equal(claim(queue).event, 'behind it');
      }));

  it('opening between the two statements of a publish of another program keeps its priority and routing key', () =>
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

  it('after opening restored a group row, a lock behind the head of that group blocks the group', () =>
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

describe('a wall clock that ran ahead and was corrected', () => {
  it('a lease from before the clock ran ahead keeps its expiry when the clock is corrected', () =>
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

  it('a lease from while the clock ran ahead is shortened to its own visibility when the clock is corrected', () =>
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

describe('a lease whose lock was shortened', () => {
  it('a shortened lease settles after an earlier settle of it was rolled back', () =>
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

describe('a file that is refused with createSchema false', () => {
  it('with createSchema false a refused file keeps every byte', () =>
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

  it('with createSchema false a missing file is not created', () =>
    inTempFolder((folder) => {
      assert.throws(() => new SqliteTransport({ path: folder.file(), createSchema: false }), {
        code: 'CANNOT_OPEN',
      });
      assert.throws(() => readFileSync(folder.file()), { code: 'ENOENT' });
    }));
});
