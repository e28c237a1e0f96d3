import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { systemClock } from '../../contract/clock.ts';
import { LockWait } from '../lock-wait.ts';
import { withFile } from './support/sync-queue.ts';

/** Replaces the time and the sleeps of this thread. `onSleep` is called at each sleep. */
function fakeSleeps(t: TestContext, onSleep: () => void = () => {}) {
  const time = { now: 1000, slept: 0 };
  t.mock.method(systemClock, 'monotonic', () => time.now);
  t.mock.method(Atomics, 'wait', (_array: Int32Array, _index: number, _value: number, ms: number) => {
    time.now += ms;
    time.slept += ms;
    onSleep();
    return 'timed-out';
  });
  return time;
}

describe('a connection that waits for the locks of others', () => {
  it('waits no longer than busyTimeoutMs in one call, however many of its statements wait', (t) =>
    withFile(({ open, connect }) => {
      open().close();
      const db = connect();
      const lockWait = new LockWait(db, 100);
      const other = connect();
      other.exec('BEGIN IMMEDIATE');
      let sleeps = 0;
      const time = fakeSleeps(t, () => {
        if (++sleeps === 50) other.exec('ROLLBACK');
      });
      lockWait.startCall();
      lockWait.until(() => db.exec('BEGIN IMMEDIATE; COMMIT'));
      assert.equal(sleeps, 50);
      other.exec('BEGIN IMMEDIATE');
      assert.throws(() => lockWait.until(() => db.exec('BEGIN IMMEDIATE')), { code: 'SQLITE_BUSY' });
      assert.ok(time.slept >= 100 && time.slept < 102, `slept ${time.slept} ms`);
      lockWait.startCall();
      assert.throws(() => lockWait.until(() => db.exec('BEGIN IMMEDIATE')), { code: 'SQLITE_BUSY' });
      assert.ok(time.slept >= 200 && time.slept < 204, 'the next call waits again');
      other.exec('ROLLBACK');
    }));

  it('counts for a call that was queued what the connection waited since the call was made, and not what it worked', (t) =>
    withFile(({ open, connect }) => {
      open().close();
      const db = connect();
      const lockWait = new LockWait(db, 100);
      const other = connect();
      let releaseAt = 0;
      const time = fakeSleeps(t, () => {
        if (time.now >= releaseAt && other.inTransaction) other.exec('ROLLBACK');
      });
      const take = (madeAt: number, holdMs: number) => {
        other.exec('BEGIN IMMEDIATE');
        releaseAt = time.now + holdMs;
        lockWait.callsMadeAt(madeAt);
        lockWait.startCall();
        lockWait.until(() => db.exec('BEGIN IMMEDIATE; COMMIT'));
      };
      const start = time.now;
      take(start, 60);
      time.now += 1_000;
      take(start + 10, 40);
      time.now += 1_000;
      // It was made 30 ms before the end of the first wait.
      const slept = time.slept;
      assert.throws(() => take(start + 30, 100), { code: 'SQLITE_BUSY' });
      assert.ok(time.slept - slept > 25 && time.slept - slept < 32, `slept ${time.slept - slept} ms`);
      assert.ok(lockWait.isOver(start + 30) && !lockWait.isOver(time.now));
      other.exec('ROLLBACK');
      take(time.now, 90);
    }));

  it('leaves the lock free for a moment when it wrote without a pause while another connection wrote too', (t) =>
    withFile(({ open, connect }) => {
      open().close();
      const lockWait = new LockWait(connect(), 100);
      const other = connect();
      other.exec('CREATE TABLE other (x)');
      const time = fakeSleeps(t);
      const transaction = () => {
        lockWait.beforeTransaction();
        time.now += 1;
        lockWait.afterTransaction();
      };
      for (let n = 0; n < 100; n++) transaction();
      assert.ok(time.slept > 0, 'the other connection had no chance');
      time.slept = 0;
      for (let n = 0; n < 100; n++) transaction();
      assert.equal(time.slept, 0, 'nobody else writes any more');
      other.exec('INSERT INTO other VALUES (1)');
      for (let n = 0; n < 100; n++) {
        transaction();
        time.now += 1;
      }
      assert.equal(time.slept, 0, 'the lock was free between its own transactions');
    }));
});

describe('a transport', () => {
  it('waits for the write lock of another connection, and then does the call', (t) =>
    withFile(({ open, connect }) => {
      const queue = open({ busyTimeoutMs: 1000 });
      const other = connect();
      other.exec('BEGIN IMMEDIATE');
      let sleeps = 0;
      fakeSleeps(t, () => {
        if (++sleeps === 20) other.exec('COMMIT');
      });
      queue.publish('g', 1);
      assert.equal(sleeps, 20);
    }));

  it('waits as an app has set it on a connection of the app', () =>
    withFile(({ folder, open }) => {
      const app = new Database(folder.file());
      const queue = open({ database: app, busyTimeoutMs: 77 });
      queue.publish('g', 1);
      assert.equal(app.pragma('busy_timeout', { simple: true }), 77);
      queue.close();
      app.close();
    }));
});
