import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import type { Retention } from '../../contract/retention.ts';
import { AsyncSqliteTransport, SqliteTransport } from '../../index.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { RETENTION_INTERVAL_MS } from '../apply-retention.ts';
import { TempFolder } from './support/temp-folder.ts';

const DAY_MS = 86_400_000;

interface Fixture {
  readonly path: string;
  readonly clock: FakeClock;
  readonly queue: SqliteTransport;
  /** Adds dead letters and as many rows of the journal, one a day. */
  addDays(count: number): void;
  /** The ids that are left. */
  left(): { dead: number[]; journal: number[] };
}

function withQueue(retention: Retention | undefined, body: (fixture: Fixture) => void): void {
  using folder = new TempFolder();
  const clock = new FakeClock();
  const path = folder.file();
  const queue = new SqliteTransport({ path, durability: 'normal', clock, ...(retention && { retention }) });
  const db = new Database(path);
  const ids = (table: string) =>
    db.prepare(`SELECT id FROM harel_transport_${table} ORDER BY id`).pluck().all() as number[];
  try {
    body({
      path,
      clock,
      queue,
      addDays(count) {
        for (let day = 0; day < count; day++) {
          queue.publish('g', day);
          const lease = queue.claim('w', DAY_MS * 1000);
          assert.ok(lease);
          queue.bury(lease);
          db.prepare(
            "INSERT INTO harel_transport_journal (at, operator, act, seq, group_id, detail) VALUES (?, 'ada', 'ack', 1, 'g', '{}')",
          ).run(clock.now() / 1000);
          // No timer runs while days are added.
          clock.step(DAY_MS);
        }
      },
      left: () => ({ dead: ids('dead_letters'), journal: ids('journal') }),
    });
  } finally {
    db.close();
    queue.close();
  }
}

test('purge removes what is older than maxAgeMs, and leaves what was not named', () =>
  withQueue(undefined, ({ queue, addDays, left }) => {
    addDays(6);
    assert.deepEqual(queue.purge({ deadLetters: { maxAgeMs: 3.5 * DAY_MS } }), {
      deadLetters: 3,
      journal: 0,
      hasMore: false,
    });
    assert.deepEqual(left(), { dead: [4, 5, 6], journal: [1, 2, 3, 4, 5, 6] });
    assert.deepEqual(queue.purge({}), { deadLetters: 0, journal: 0, hasMore: false });
  }));

test('purge keeps the newest maxCount rows, and maxCount 0 keeps none', () =>
  withQueue(undefined, ({ queue, addDays, left }) => {
    addDays(4);
    queue.purge({ journal: { maxCount: 1 }, deadLetters: { maxCount: 9 } });
    assert.deepEqual(left(), { dead: [1, 2, 3, 4], journal: [4] });
    queue.purge({ deadLetters: { maxCount: 0 } });
    assert.deepEqual(left().dead, []);
  }));

test('a call of purge removes at most `limit` rows, the oldest first, and says that there are more', () =>
  withQueue(undefined, ({ queue, addDays, left }) => {
    addDays(5);
    const retention = { deadLetters: { maxAgeMs: 0, maxCount: 2 } };
    assert.deepEqual(queue.purge(retention, { limit: 3 }), { deadLetters: 3, journal: 0, hasMore: true });
    assert.deepEqual(left().dead, [4, 5]);
    assert.deepEqual(queue.purge(retention, { limit: 3 }), { deadLetters: 2, journal: 0, hasMore: false });
  }));

test('the option retention is applied while the queue is idle, in batches, and not after close', () =>
  withQueue(
    { deadLetters: { maxAgeMs: 250 * DAY_MS }, journal: { maxCount: 300 } },
    ({ queue, clock, addDays, left }) => {
      addDays(320);
      // The oldest is 320 days old, the youngest of those that are kept 249.
      clock.advance(RETENTION_INTERVAL_MS);
      assert.deepEqual([left().dead.length, left().journal.length], [249, 300]);
      clock.step(250 * DAY_MS);
      clock.advance(RETENTION_INTERVAL_MS + 1000);
      assert.deepEqual([left().dead.length, left().journal.length], [0, 300]);
      queue.close();
      assert.equal(clock.timers, 0);
    },
  ));

test('without the option nothing is removed and no timer runs', () =>
  withQueue(undefined, ({ clock, addDays, left }) => {
    addDays(3);
    clock.step(1000 * DAY_MS);
    assert.equal(clock.timers, 0);
    assert.equal(left().dead.length, 3);
  }));

test('retention does not join an open transaction of the app, and another writer does not end it', () =>
  withQueue(undefined, ({ path, clock, addDays, left }) => {
    addDays(3);
    const db = new Database(path, { timeout: 0 });
    const retention = { deadLetters: { maxCount: 1 } };
    const own = new SqliteTransport({
      database: db,
      clock,
      durability: 'normal',
      busyTimeoutMs: 0,
      retention,
    });
    db.exec('BEGIN');
    clock.advance(RETENTION_INTERVAL_MS);
    db.exec('COMMIT');
    assert.equal(left().dead.length, 3);
    const other = new Database(path);
    other.exec('BEGIN IMMEDIATE');
    clock.advance(RETENTION_INTERVAL_MS);
    other.exec('ROLLBACK');
    other.close();
    assert.equal(left().dead.length, 3);
    clock.advance(RETENTION_INTERVAL_MS);
    assert.equal(left().dead.length, 1);
    own.close();
    db.close();
  }));

test('wrong limits raise BAD_ARGUMENT', () =>
  withQueue(undefined, ({ queue, path }) => {
    const wrong: [unknown, RegExp][] = [
      [undefined, /retention must be an object/],
      [{ deadLetter: {} }, /deadLetters/],
      [{ deadLetters: { maxAgeMs: -1 } }, /retention\.deadLetters\.maxAgeMs/],
      [{ journal: { maxCount: 1.5 } }, /retention\.journal\.maxCount/],
    ];
    for (const [retention, message] of wrong)
      assert.throws(() => queue.purge(retention as Retention), { code: 'BAD_ARGUMENT', message });
    assert.throws(() => queue.purge({}, { limit: 0 }), { code: 'BAD_ARGUMENT', message: /limit/ });
    assert.throws(() => new SqliteTransport({ path, retention: { journal: 7 } as never }), {
      code: 'BAD_ARGUMENT',
      message: /retention\.journal must be an object/,
    });
  }));

test('compact returns the pages of drained messages to the disk, and no connection takes that for a replaced file', () =>
  withQueue(undefined, ({ path, queue, clock }) => {
    const other = new SqliteTransport({ path, durability: 'normal', clock });
    queue.publishMany(
      Array.from({ length: 100 }, (_, n) => ({ groupId: `g${n % 7}`, event: 'x'.repeat(5000) })),
    );
    const kept = queue.claim('w', DAY_MS);
    assert.ok(kept);
    for (let lease = queue.claim('w', 1000); lease; lease = queue.ackAndClaim(lease, 1000)) clock.advance(1);
    const { before, after } = queue.compact();
    assert.ok(after < before / 2, `${before} bytes became ${after}`);
    assert.equal(statSync(path).size, after);
    // Each connection looks at its file again.
    clock.advance(2000);
    queue.ack(kept);
    other.publish('g', 1);
    assert.ok(queue.claim('w', 1000));
    other.close();
  }));

test('compact in a transaction raises BUSY', () =>
  withQueue(undefined, ({ path }) => {
    const db = new Database(path);
    const queue = new SqliteTransport({ database: db, durability: 'normal' });
    db.exec('BEGIN');
    assert.throws(() => queue.compact(), { code: 'BUSY', message: /transaction/ });
    db.exec('ROLLBACK');
    queue.close();
    db.close();
  }));

test('compact of a transport that is readonly raises READ_ONLY, on a connection that can write as well', () =>
  withQueue(undefined, ({ path, queue }) => {
    queue.publishMany(Array.from({ length: 50 }, () => ({ groupId: 'g', event: 'x'.repeat(5000) })));
    for (let lease = queue.claim('w', 1000); lease; lease = queue.ackAndClaim(lease, 1000));
    const database = new Database(path);
    const pages = () => database.pragma('page_count', { simple: true });
    const before = pages();
    for (const place of [{ path }, { database }]) {
      const reader = new SqliteTransport({ ...place, readonly: true, durability: 'normal' });
      assert.throws(() => reader.compact(), { code: 'READ_ONLY', message: /without readonly/ });
      reader.close();
      assert.throws(() => reader.compact(), { code: 'CLOSED' });
    }
    assert.equal(pages(), before);
    database.close();
  }));

test('an asynchronous transport purges and compacts among its other calls', async () => {
  using folder = new TempFolder();
  const queue = new AsyncSqliteTransport({ path: folder.file(), durability: 'normal' });
  await queue.publishMany(Array.from({ length: 20 }, (_, n) => ({ groupId: `g${n}`, event: n })));
  const leases = await queue.claimMany('w', DAY_MS, 10);
  await Promise.all(leases.map((lease) => queue.bury(lease)));
  const [published, purged, compacted, again] = await Promise.all([
    queue.publish('g', 1),
    queue.purge({ deadLetters: { maxCount: 4 } }),
    queue.compact(),
    queue.publish('g', 2),
  ]);
  assert.deepEqual([published, again], [21, 22]);
  assert.deepEqual(purged, { deadLetters: 6, journal: 0, hasMore: false });
  assert.ok(compacted.after <= compacted.before);
  assert.equal((await queue.deadLetters()).length, 4);
  await queue.close();
});

test('an asynchronous transport applies its option retention on its thread, soon after it was opened', async () => {
  using folder = new TempFolder();
  const path = folder.file();
  const before = new SqliteTransport({ path, durability: 'normal' });
  before.publishMany(Array.from({ length: 150 }, (_, n) => ({ groupId: `g${n}`, event: n })));
  for (const lease of before.claimMany('w', DAY_MS, 150)) before.bury(lease);
  before.close();
  const queue = new AsyncSqliteTransport({ path, retention: { deadLetters: { maxCount: 10 } } });
  let left = await queue.deadLetters({ limit: 1000 });
  // The thread has the system's clock. It needs two batches.
  while (left.length > 10) left = await queue.deadLetters({ limit: 1000 });
  assert.deepEqual(
    left.map(({ id }) => id),
    Array.from({ length: 10 }, (_, n) => 141 + n),
  );
  await queue.close();
});
