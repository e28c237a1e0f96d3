import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from 'better-sqlite3';
import type { Lease, SqliteTransport } from '../../index.ts';
import { rows } from './support/file-check.ts';
import { claim, drain, type SyncBench, withFile } from './support/sync-queue.ts';

/** A connection that the app opened, with a table of the app, and a queue on that connection. */
function withApp(body: (app: Database, queue: SqliteTransport, bench: SyncBench) => void): Promise<void> {
  return withFile((bench) => {
    const app = bench.connect();
    const queue = bench.open({ database: app });
    app.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, state TEXT)');
    body(app, queue, bench);
  });
}

const orders = (app: Database): unknown => app.prepare('SELECT COUNT(*) FROM orders').pluck().get();

function emittedBy(queue: SqliteTransport): string[] {
  const emitted: string[] = [];
  for (const name of ['published', 'claimed', 'acked', 'nacked', 'parked', 'extended', 'buried'] as const)
    queue.on(name, ({ groupId }) => emitted.push(`${name} ${groupId}`));
  return emitted;
}

/** Settles each of the five leases in the way that its group is named, claims the next message and publishes one. */
function useEach(queue: SqliteTransport, [acked, nacked, parked, extended, buried]: Lease[]): void {
  assert.ok(acked && nacked && parked && extended && buried);
  queue.ack(acked);
  queue.nack(nacked);
  queue.nack(parked, 1_000);
  queue.extend(extended, 50_000);
  queue.bury(buried);
  claim(queue);
  queue.publish('published', 1);
}

describe("a call inside a caller's transaction", () => {
  it("a publish inside a caller's transaction is committed together with the caller's writes", () =>
    withApp((app, queue, { file }) => {
      app.transaction(() => {
        app.exec("INSERT INTO orders (state) VALUES ('new')");
        queue.publish('g', 'order');
        assert.deepEqual(
          rows(file, 'SELECT seq FROM harel_transport_messages'),
          [],
          'no other connection sees it before the commit',
        );
      })();
      assert.equal(orders(app), 1);
      assert.deepEqual(drain(queue), ['order']);
    }));

  it("a publish inside a caller's transaction is rolled back together with the caller's writes", () =>
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
      assert.equal(
        queue.claim('w', 1_000, { minPriority: 2 }),
        null,
        'the group row was rolled back as well',
      );
    }));

  it("a rollback of the caller's transaction undoes claims, acks and buries inside it", () =>
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

  it("a call that raises inside a caller's transaction undoes only its own writes", () =>
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

  it("events of a caller's transaction are emitted in order, by the first call after the commit", () =>
    withApp((app, queue) => {
      const emitted: unknown[] = [];
      queue.on('published', ({ seq }) => emitted.push(seq));
      app.exec('BEGIN');
      queue.publish('g', 1);
      queue.publish('g', 2);
      assert.deepEqual(emitted, []);
      app.exec('COMMIT');
      queue.publish('g', 3);
      assert.deepEqual(emitted, [1, 2, 3]);
    }));

  it("events of a caller's transaction that commits at once are emitted without a further call", async () => {
    let emitted: Promise<unknown> | undefined;
    await withFile(async ({ connect, open }) => {
      const app = connect();
      const queue = open({ database: app });
      emitted = new Promise((resolve) => queue.on('published', resolve));
      app.transaction(() => queue.publish('g', 1))();
      assert.deepEqual(await emitted, { seq: 1, groupId: 'g' });
    });
  });

  it("events of a caller's transaction that was rolled back are not emitted", () =>
    withApp((app, queue) => {
      for (const group of ['acked', 'nacked', 'parked', 'extended', 'buried', 'claimed'])
        queue.publish(group, group);
      const leases = queue.claimMany('w', 30_000, 5);
      const emitted = emittedBy(queue);
      app.exec('BEGIN');
      useEach(queue, leases);
      app.exec('ROLLBACK');
      queue.publish('after', 1);
      assert.deepEqual(emitted, ['published after']);
    }));

  it("events of a caller's transaction that was committed are emitted, whatever became of their messages", () =>
    withApp((app, queue) => {
      for (const group of ['acked', 'nacked', 'parked', 'extended', 'buried', 'claimed'])
        queue.publish(group, group);
      const leases = queue.claimMany('w', 30_000, 5);
      const emitted = emittedBy(queue);
      app.exec('BEGIN');
      useEach(queue, leases);
      const [claimedBefore] = queue.claimMany('w', 30_000, 1);
      assert.ok(claimedBefore);
      queue.ack(claimedBefore);
      app.exec('COMMIT');
      queue.publish('after', 1);
      assert.deepEqual(emitted, [
        ...['acked acked', 'nacked nacked', 'parked parked', 'extended extended', 'buried buried'],
        ...[
          'claimed claimed',
          'published published',
          'claimed published',
          'acked published',
          'published after',
        ],
      ]);
    }));

  it("of a caller's transaction that was rolled back to a savepoint, the events before it are emitted", () =>
    withApp((app, queue) => {
      const emitted = emittedBy(queue);
      app.exec('BEGIN');
      queue.publish('before', 1);
      app.exec('SAVEPOINT s');
      queue.publish('inside', 1);
      app.exec('ROLLBACK TO s; COMMIT');
      queue.publish('after', 1);
      assert.deepEqual(emitted, ['published before', 'published after']);
    }));

  it('a transport tells whether its calls join a transaction of the caller', () =>
    withApp((app, queue) => {
      assert.equal(queue.inCallersTransaction, false);
      app.transaction(() => {
        queue.publish('g', 1);
        assert.equal(queue.inCallersTransaction, true);
      })();
      assert.equal(queue.inCallersTransaction, false);
      app.close();
      assert.equal(queue.inCallersTransaction, false);
    }));

  it('a lease whose ack was rolled back lapses in time after a later clock step back', () =>
    withApp((app, queue, { clock }) => {
      queue.publish('g', 1);
      const lease = claim(queue);
      app.exec('BEGIN');
      queue.ack(lease);
      app.exec('ROLLBACK');
      clock.step(-3_600_000);
      queue.publish('other', 2);
      queue.ack(claim(queue));
      clock.advance(30_001);
      assert.equal(claim(queue).event, 1);
    }));

  it('a lease still settles after a clock step back and a transaction that was rolled back', () =>
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

  it('a lease that was shortened after a clock step back still settles when its extend was rolled back with a transaction', () =>
    withApp((app, queue, { clock }) => {
      queue.publish('g', 1);
      const lease = claim(queue);
      clock.step(-3_600_000);
      queue.publish('other', 2);
      app.exec('BEGIN');
      queue.extend(lease, 60_000);
      app.exec('ROLLBACK');
      queue.publish('other', 3);
      queue.ack(lease);
      assert.deepEqual(drain(queue), [2, 3]);
    }));

  it('a lease still lapses in time after a clock step back and a transaction that was rolled back', () =>
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

describe('a transport on a given connection', () => {
  it('closing a transport leaves its given connection open', () =>
    withApp((app, queue) => {
      queue.close();
      assert.equal(orders(app), 0);
      assert.throws(() => queue.publish('g', 1), { code: 'CLOSED' });
    }));

  it('calls raise CLOSED after the given connection was closed', () =>
    withFile(({ connect, open }) => {
      const app = connect();
      const queue = open({ database: app });
      app.close();
      assert.throws(() => queue.publish('g', 1), { code: 'CLOSED' });
      assert.throws(() => queue.nextExpiry(), { code: 'CLOSED' });
      queue.close();
    }));

  it('on a connection that reads integers as BigInt, a transport still returns numbers', () =>
    withApp((app, queue, { clock }) => {
      app.defaultSafeIntegers(true);
      const seq = queue.publish('g', 1);
      assert.equal(typeof seq, 'number');
      const lease = claim(queue);
      assert.deepEqual([lease.seq, lease.attempt, lease.delivery], [seq, 1, 1]);
      assert.equal(queue.nextExpiry(), clock.now() + 30_000);
      assert.deepEqual(queue.holders().holders, [{ workerId: 'w', leases: 1 }]);
      assert.equal(typeof queue.dataVersion(), 'number');
      queue.bury(lease);
      const [dead] = queue.deadLetters();
      assert.deepEqual([dead?.seq, dead?.attempts, dead?.priority], [seq, 1, 0]);
      assert.equal(typeof queue.republish(seq), 'number');
      app.defaultSafeIntegers(false);
    }));

  it('on a connection that names columns by their tables, a transport still reads them', () =>
    withFile(({ connect, open }) => {
      const app = connect();
      app.pragma('full_column_names = ON');
      app.pragma('short_column_names = OFF');
      const queue = open({ database: app });
      const seq = queue.publish('g', 'first');
      queue.publish('h', 'second');
      const [lease, other] = queue.claimMany('w', 30_000, 2);
      assert.deepEqual([lease?.event, other?.event], ['first', 'second']);
      assert.deepEqual(queue.holders().holders, [{ workerId: 'w', leases: 2 }]);
      const extended = app.transaction(() => queue.extend(other as Lease, 30_000))();
      queue.nack(extended, 0, { error: 'no' });
      queue.bury(lease as Lease, { error: 'never' });
      const [dead] = queue.deadLetters();
      assert.deepEqual([dead?.seq, dead?.attempts, dead?.error], [seq, 1, 'never']);
      queue.republish(dead?.id as number);
      assert.equal(claim(queue).event, 'first');
      assert.equal(claim(queue).lastError, 'no');
      assert.equal(queue.release(['w']).released, 2);
    }));

  it('a transport opens on a connection that reads integers as BigInt', () =>
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
