import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from 'better-sqlite3';
import type { SqliteTransport } from '../../index.ts';
import { rows } from './support/file-check.ts';
import { claim, drain, type SyncBench, withFile } from './support/sync-queue.ts';

/** A connection of the app's own, with a table of its own, and the queue on it. */
function withApp(body: (app: Database, queue: SqliteTransport, bench: SyncBench) => void): Promise<void> {
  return withFile((bench) => {
    const app = bench.connect();
    const queue = bench.open({ database: app });
    app.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, state TEXT)');
    body(app, queue, bench);
  });
}

const orders = (app: Database): unknown => app.prepare('SELECT COUNT(*) FROM orders').pluck().get();

describe("the caller's transaction", () => {
  it('a publish that joins it is there after the commit, with what else it wrote', () =>
    withApp((app, queue, { file }) => {
      app.transaction(() => {
        app.exec("INSERT INTO orders (state) VALUES ('new')");
        queue.publish('g', 'order');
        assert.deepEqual(
          rows(file, 'SELECT seq FROM harel_transport_messages'),
          [],
          'nobody else sees it yet',
        );
      })();
      assert.equal(orders(app), 1);
      assert.deepEqual(drain(queue), ['order']);
    }));

  it('a publish that joins it is gone after the rollback, with what else it wrote', () =>
    withApp((app, queue) => {
      const work = app.transaction(() => {
        app.exec("INSERT INTO orders (state) VALUES ('new')");
        queue.publishMany([{ groupId: 'g', event: 1, priority: 4 }]);
        throw new Error('no');
      });
      assert.throws(work, /no/);
      assert.equal(orders(app), 0);
      assert.equal(queue.claim('w', 1_000), null);
      queue.publish('g', 2, { priority: 1 });
      assert.equal(queue.claim('w', 1_000, { minPriority: 2 }), null, 'nor did the group row stay');
    }));

  it('claim, settle and bury join it too: a rollback gives back what they did', () =>
    withApp((app, queue) => {
      for (const event of [1, 2, 3]) queue.publish('g', event);
      const held = claim(queue);
      app.exec('BEGIN');
      const next = queue.ackAndClaim(held, 30_000);
      assert.ok(next);
      queue.bury(next, { error: 'why' });
      assert.equal(claim(queue).event, 3);
      app.exec('ROLLBACK');
      assert.deepEqual(queue.deadLetters(), []);
      assert.equal(queue.claim('w', 1_000), null);
      queue.ack(held);
      assert.deepEqual(drain(queue), [2, 3]);
    }));

  it('a call that raises undoes itself alone and leaves the transaction usable', () =>
    withApp((app, queue) => {
      queue.publish('g', 1);
      const lease = claim(queue);
      queue.ack(lease);
      app.exec('BEGIN');
      app.exec("INSERT INTO orders (state) VALUES ('new')");
      queue.publish('g', 2);
      assert.throws(() => queue.ack(lease), { code: 'LEASE_LOST' });
      assert.throws(() => queue.ackAndClaim(lease, 1_000), { code: 'LEASE_LOST' });
      assert.throws(() => queue.publish('g', undefined), { code: 'BAD_EVENT' });
      assert.throws(() => queue.republish(1), { code: 'NOT_FOUND' });
      queue.publish('g', 3);
      app.exec('COMMIT');
      assert.equal(orders(app), 1);
      assert.deepEqual(drain(queue), [2, 3]);
    }));

  it('what happened in it is told once it has committed, in order', () =>
    withApp((app, queue) => {
      const told: unknown[] = [];
      queue.on('published', ({ seq }) => told.push(seq));
      app.exec('BEGIN');
      queue.publish('g', 1);
      queue.publish('g', 2);
      assert.deepEqual(told, []);
      app.exec('COMMIT');
      queue.publish('g', 3);
      assert.deepEqual(told, [1, 2, 3]);
    }));

  it('what happened in it is told without a further call when it committed within the turn', async () => {
    let told: Promise<unknown> | undefined;
    await withFile(async ({ connect, open }) => {
      const app = connect();
      const queue = open({ database: app });
      told = new Promise((resolve) => queue.on('published', resolve));
      app.transaction(() => queue.publish('g', 1))();
      assert.deepEqual(await told, { seq: 1, groupId: 'g' });
    });
  });

  it('a lock that followed the clock in a transaction that was rolled back still settles', () =>
    withApp((app, queue, { clock }) => {
      queue.publish('g', 1);
      const lease = claim(queue);
      clock.step(-3_600_000);
      app.exec('BEGIN');
      queue.publish('other', 2);
      app.exec('ROLLBACK');
      queue.ack(lease);
      assert.deepEqual(drain(queue), []);
    }));

  it('a lock that followed the clock in a transaction that was rolled back still lapses in time', () =>
    withApp((app, queue, { clock }) => {
      queue.publish('g', 1);
      claim(queue);
      clock.step(-3_600_000);
      app.exec('BEGIN');
      queue.publish('other', 2);
      app.exec('ROLLBACK');
      clock.advance(30_001);
      assert.equal(claim(queue).event, 1);
    }));
});

describe('a connection that was given', () => {
  it('stays open when the transport is closed, and the transport stays closed', () =>
    withApp((app, queue) => {
      queue.close();
      assert.equal(orders(app), 0);
      assert.throws(() => queue.publish('g', 1), { code: 'CLOSED' });
    }));

  it('that its owner has closed makes every verb raise CLOSED', () =>
    withFile(({ connect, open }) => {
      const app = connect();
      const queue = open({ database: app });
      app.close();
      assert.throws(() => queue.publish('g', 1), { code: 'CLOSED' });
      assert.throws(() => queue.nextExpiry(), { code: 'CLOSED' });
      queue.close();
    }));

  it('may be set to BigInt: seqs and times stay numbers', () =>
    withApp((app, queue, { clock }) => {
      app.defaultSafeIntegers(true);
      const seq = queue.publish('g', 1);
      assert.equal(typeof seq, 'number');
      const lease = claim(queue);
      assert.deepEqual([lease.seq, lease.attempt, lease.delivery], [seq, 1, 1]);
      assert.equal(queue.nextExpiry(), clock.now() + 30_000);
      assert.deepEqual(queue.holders(), [{ workerId: 'w', leases: 1 }]);
      assert.equal(typeof queue.dataVersion(), 'number');
      queue.bury(lease);
      const [dead] = queue.deadLetters();
      assert.deepEqual([dead?.seq, dead?.attempts, dead?.priority], [seq, 1, 0]);
      assert.equal(typeof queue.republish(seq), 'number');
      app.defaultSafeIntegers(false);
    }));

  it('may be set to BigInt before the queue is opened on it', () =>
    withFile(({ connect, open }) => {
      const app = connect();
      app.defaultSafeIntegers(true);
      const queue = open({ database: app });
      queue.publish('g', 1);
      assert.equal(claim(queue).seq, 1);
      queue.close();
      open({ database: app });
    }));
});
