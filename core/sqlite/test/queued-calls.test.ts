/** How long a call waits that is queued on the thread of AsyncSqliteTransport. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { systemClock } from '../../contract/clock.ts';
import { type AsyncSqliteTransport, SqliteTransport } from '../../index.ts';
import { outcomesOf, withAsync } from './support/async-bench.ts';
import { LockTime, OPENING_MS } from './support/lock-time.ts';

interface Bench {
  readonly time: LockTime;
  readonly queue: AsyncSqliteTransport;
  /** Another connection, which holds the write lock. */
  readonly other: Database.Database;
}

/** `body` begins while the thread opens the file. */
const withHeldLock =
  (busyTimeoutMs: number, body: (bench: Bench) => Promise<void>): ((t: TestContext) => Promise<void>) =>
  (t) =>
    withAsync(async ({ open, file }) => {
      new SqliteTransport({ path: file }).close();
      const other = new Database(file);
      other.exec('BEGIN IMMEDIATE');
      const time = LockTime.share();
      t.mock.method(systemClock, 'monotonic', () => time.now);
      const threadFile = new URL('./support/lock-time.thread.ts', import.meta.url);
      const queue = open({ busyTimeoutMs, threadFile });
      try {
        await body({ time, queue, other });
      } finally {
        await time.goOn();
        other.close();
      }
    })();

/** A call that a test expects to be answered may be open for ever while the thread is stopped. */
const LIMIT = { timeout: 20_000 };

test(
  'a call that is queued behind one that runs into BUSY waits no longer than busyTimeoutMs from its own start',
  LIMIT,
  withHeldLock(100, async ({ time, queue }) => {
    await queue.holders();
    const start = time.now;
    const first = queue.publish('g', 'first');
    await time.until(start + 40);
    const outcomes = outcomesOf([first, queue.publish('g', 'queued')]);
    await time.goOn();
    assert.deepEqual(await outcomes, ['BUSY', 'BUSY']);
    assert.equal(time.now - start, 140);
  }),
);

test(
  'of the calls that share a commit those whose time is over reject at once, and the others get the lock when it is free',
  LIMIT,
  withHeldLock(100, async ({ time, queue, other }) => {
    await queue.holders();
    const start = time.now;
    const first = outcomesOf([queue.publish('g', 'first')]);
    await time.until(start + 40);
    const early = outcomesOf([queue.publish('g', 'early')]);
    await time.until(start + 80);
    const late = Promise.all([queue.publish('g', 'late'), queue.publish('g', 'last')]);
    await time.until(start + 150);
    // The thread sleeps for the last two.
    assert.deepEqual([...(await first), ...(await early)], ['BUSY', 'BUSY']);
    other.exec('COMMIT');
    await time.goOn();
    assert.deepEqual(await late, [1, 2]);
    assert.equal(time.now - start, 150);
  }),
);

test(
  'the time in which the thread opens the file counts for the calls that were made before',
  LIMIT,
  withHeldLock(OPENING_MS + 70, async ({ time, queue }) => {
    const call = queue.publish('g', 'first');
    await time.goOn();
    await assert.rejects(call, { code: 'BUSY' });
    assert.equal(time.now, OPENING_MS + 70);
  }),
);

test(
  'a call whose time is over when the thread takes it succeeds if the lock is free',
  LIMIT,
  withHeldLock(OPENING_MS / 2, async ({ time, queue, other }) => {
    other.exec('COMMIT');
    assert.equal(await queue.publish('g', 1), 1);
    assert.equal(time.now, OPENING_MS);
  }),
);
