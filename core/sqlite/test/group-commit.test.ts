import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { outcomesOf, withAsync } from './support/async-bench.ts';
import { assertSound, rows } from './support/file-check.ts';

const eventsIn = (file: string) =>
  rows(file, 'SELECT event FROM harel_transport_messages ORDER BY seq').map(({ event }) => event);

test(
  'calls of the asynchronous transport take effect in the order in which they were made',
  withAsync(async ({ open, file }) => {
    const queue = open();
    const numbers = Array.from({ length: 500 }, (_, n) => n);
    const seqs = await Promise.all(numbers.map((n) => queue.publish(`g${n % 3}`, n)));
    assert.deepEqual(
      seqs,
      numbers.map((n) => n + 1),
    );
    assert.deepEqual(eventsIn(file), numbers.map(String));
    assertSound(file);
  }),
);

test(
  'a call that fails before its first write rejects alone, and the other calls of its commit stand',
  withAsync(async ({ open }) => {
    const queue = open();
    await queue.publish('g', 1);
    const lease = await queue.claim('w', 30_000);
    assert.ok(lease);
    const outcomes = await outcomesOf([
      queue.publish('a', 'a'),
      queue.ack(lease),
      queue.ack(lease),
      queue.ackAndClaim(lease, 1_000),
      queue.republish(77),
      queue.publish('b', 'b'),
      queue.publish('c', undefined),
    ]);
    assert.deepEqual(outcomes, [
      'done',
      'done',
      'LEASE_LOST',
      'LEASE_LOST',
      'NOT_FOUND',
      'done',
      'BAD_EVENT',
    ]);
    const events = (await queue.claimMany('w', 30_000, 9)).map(({ event }) => event);
    assert.deepEqual(events, ['a', 'b']);
  }),
);

test(
  'a call that fails after a write is rolled back alone, and events of the other calls of its commit are emitted once',
  withAsync(async ({ open, file }) => {
    const queue = open();
    await queue.holders();
    const other = new Database(file);
    other.exec(`CREATE TRIGGER refuse BEFORE INSERT ON harel_transport_groups WHEN NEW.group_id = 'refused'
      BEGIN SELECT RAISE(ABORT, 'refused'); END`);
    other.close();
    const published: number[] = [];
    queue.on('published', ({ seq }) => published.push(seq));
    const outcomes = await outcomesOf([
      queue.publish('a', 1),
      queue.publish('refused', 2),
      queue.publish('b', 3),
    ]);
    assert.deepEqual(outcomes, ['done', 'STORAGE', 'done']);
    assert.deepEqual(eventsIn(file), ['1', '3']);
    const seqs = rows(file, 'SELECT seq FROM harel_transport_messages ORDER BY seq').map(({ seq }) => seq);
    assert.deepEqual(published, seqs);
  }),
);

test(
  'a promise of the asynchronous transport resolves, and its event is emitted, after another connection can see the commit',
  withAsync(async ({ open, file }) => {
    const queue = open();
    await queue.holders();
    const other = new Database(file);
    const isThere = other.prepare('SELECT 1 FROM harel_transport_messages WHERE seq = ?').pluck();
    const seenByListener: unknown[] = [];
    queue.on('published', ({ seq }) => seenByListener.push(isThere.get(seq)));
    const publishes = Array.from({ length: 50 }, async (_, n) => isThere.get(await queue.publish('g', n)));
    assert.deepEqual(await Promise.all(publishes), Array(50).fill(1));
    assert.deepEqual(seenByListener, Array(50).fill(1));
    other.close();
  }),
);

test(
  'all calls of a commit reject with BUSY and change nothing when another connection keeps the write lock past busyTimeoutMs',
  withAsync(async ({ open, file }) => {
    const queue = open({ busyTimeoutMs: 1 });
    await queue.publish('g', 0);
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    const outcomes = await outcomesOf([1, 2, 3].map((n) => queue.publish('g', n)));
    assert.deepEqual(outcomes, ['BUSY', 'BUSY', 'BUSY']);
    other.exec('ROLLBACK');
    other.close();
    await queue.publish('g', 4);
    assert.deepEqual(eventsIn(file), ['0', '4']);
  }),
);

test(
  'reads that are called together are answered while another connection keeps the write lock',
  withAsync(async ({ open, file }) => {
    const queue = open({ busyTimeoutMs: 1 });
    await queue.publish('g', 1);
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    const answers = await Promise.all([queue.holders(), queue.nextExpiry(), queue.deadLetters()]);
    other.exec('ROLLBACK');
    other.close();
    assert.deepEqual(answers, [{ holders: [], next: null }, null, []]);
  }),
);

test(
  'asynchronous transports on one file publish and claim at once without losing or sharing a message',
  withAsync(async ({ open, file }) => {
    const queues = Array.from({ length: 4 }, () => open());
    await Promise.all(queues.map((queue, q) => Promise.all([1, 2, 3].map((n) => queue.publish(`g${q}`, n)))));
    const leases = (await Promise.all(queues.map((queue) => queue.claimMany('w', 30_000, 2)))).flat();
    assert.deepEqual(leases.map(({ groupId }) => groupId).sort(), ['g0', 'g1', 'g2', 'g3']);
    assertSound(file);
  }),
);
