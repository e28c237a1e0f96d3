/** A worker over the app's own connection stays out of the transactions that the app has open on it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import type { LeaseholdError } from '../../contract/errors.ts';
import { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { TempFolder } from '../../sqlite/test/support/temp-folder.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { type Handler, runWorker, type Worker, type WorkerEvents, type WorkerOptions } from '../index.ts';
import { ControlledHandler, type Event } from './support/controlled-handler.ts';
import { nextEvent, recordEvents, waitFor } from './support/signals.ts';

interface Bench {
  readonly clock: FakeClock;
  readonly db: Database.Database;
  /** Over the app's connection. */
  readonly queue: SqliteTransport<Event>;
  /** As another process has one. */
  readonly other: SqliteTransport<Event>;
  startWorker(handler: Handler<Event>, options?: WorkerOptions): Worker;
  /** Lets this time pass, and each turn that is requested meanwhile. */
  pass(ms: number): Promise<void>;
}

const ends = ['COMMIT', 'ROLLBACK'] as const;

function withConnection(body: (bench: Bench) => Promise<void>): () => Promise<void> {
  return async () => {
    using folder = new TempFolder();
    const path = folder.file();
    const clock = new FakeClock();
    const db = new Database(path);
    const queue = new SqliteTransport<Event>({ database: db, clock });
    const other = new SqliteTransport<Event>({ path, clock });
    db.exec('CREATE TABLE notes (text)');
    const workers: Worker[] = [];
    await body({
      clock,
      db,
      queue,
      other,
      startWorker(handler, options = {}) {
        const worker = runWorker(queue, handler, { clock, pollMs: 0, ...options });
        workers.push(worker);
        return worker;
      },
      async pass(ms) {
        for (let left = ms; left > 0; left -= 5) {
          clock.advance(Math.min(5, left));
          await new Promise(setImmediate);
        }
      },
    });
    for (const worker of workers)
      await waitFor('the worker to stop', worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 }));
    assert.equal(clock.timers, 0, 'a timer was left behind');
    other.close();
    queue.close();
    db.close();
  };
}

for (const end of ends) {
  test(
    `nothing is claimed while the app has a transaction open, and right after its ${end} it is`,
    withConnection(async ({ db, queue, startWorker, pass }) => {
      for (let n = 0; n < 3; n++) queue.publish(`g${n}`, n);
      const handler = new ControlledHandler();
      db.exec("BEGIN; INSERT INTO notes VALUES ('x')");
      startWorker(handler.handle);
      await pass(100);
      assert.deepEqual(handler.started, []);
      db.exec(end);
      await pass(5);
      assert.deepEqual(handler.running, [0, 1, 2]);
    }),
  );

  test(
    `what handlers have done is settled and told after the app's ${end}`,
    withConnection(async ({ db, queue, other, startWorker, pass }) => {
      for (const event of ['completed', 'failed']) queue.publish(event, event);
      const handler = new ControlledHandler();
      const worker = startWorker(async (message, context) => {
        await handler.handle(message, context);
        if (message.event === 'failed') throw new Error('no');
      });
      const events = recordEvents(worker, 'completed', 'failed', 'lease-lost', 'transport-error');
      await handler.untilStarted('completed', 'failed');
      db.exec("BEGIN; INSERT INTO notes VALUES ('x')");
      handler.finish('completed');
      handler.finish('failed');
      await pass(50);
      assert.deepEqual(events, []);
      db.exec(end);
      await pass(5);
      assert.deepEqual(events.sort(), ['completed completed', 'failed failed']);
      const [left] = other.claimMany('x', 1000, 10);
      assert.equal(left, undefined, 'one is acked, and the other one waits for its retry');
    }),
  );

  test(
    `a lease that could not be renewed during the app's transaction is renewed right after its ${end}`,
    withConnection(async ({ clock, db, queue, other, startWorker, pass }) => {
      queue.publish('g', 1);
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle, { visibilityMs: 1000 });
      const events = recordEvents(worker, 'lease-lost');
      await handler.untilStarted(1);
      db.exec("BEGIN; INSERT INTO notes VALUES ('x')");
      await pass(1500);
      db.exec(end);
      await pass(5);
      assert.equal(queue.nextExpiry(), clock.now() + 1000);
      assert.equal(other.claim('x', 1000), null);
      assert.deepEqual(events, []);
    }),
  );
}

test(
  "time limits hold during the app's transaction",
  withConnection(async ({ db, queue, startWorker, pass }) => {
    queue.publish('g', 1);
    const worker = startWorker(() => new Promise(() => {}), { timeoutMs: 100, abortGraceMs: 20 });
    await nextEvent(worker, 'started');
    const abandoned = recordEvents(worker, 'abandoned', 'failed');
    db.exec('BEGIN');
    await pass(100);
    assert.equal(worker.snapshot().running[0]?.aborted, true);
    await pass(20);
    assert.deepEqual(abandoned, ['abandoned g']);
    db.exec('ROLLBACK');
    await pass(5);
    assert.deepEqual(abandoned, ['abandoned g', 'failed g']);
  }),
);

test(
  "a handler's extend waits for the app's transaction",
  withConnection(async ({ clock, db, queue, startWorker, pass }) => {
    queue.publish('g', 1);
    const extended = Promise.withResolvers<number>();
    startWorker(async (_message, { extend }) => {
      db.exec('BEGIN');
      setImmediate(() => setImmediate(() => db.exec('ROLLBACK')));
      await extend(600_000);
      extended.resolve((queue.nextExpiry() ?? 0) - clock.now());
    });
    await pass(50);
    assert.equal(await waitFor('the extend', extended.promise), 600_000);
  }),
);

test(
  'an extend inside of the transaction of its own handler fails when the lease has lapsed, and does not wait forever',
  withConnection(async ({ db, queue, startWorker, pass }) => {
    queue.publish('g', 1);
    const failure = Promise.withResolvers<LeaseholdError>();
    startWorker(
      async (_message, { extend }) => {
        db.exec('BEGIN');
        await extend().catch(failure.resolve);
        db.exec('COMMIT');
      },
      { visibilityMs: 1000 },
    );
    await pass(1100);
    assert.equal((await waitFor('the failure of the extend', failure.promise)).code, 'BUSY');
  }),
);

test(
  "a worker that is stopped during the app's transaction gives back its messages after it",
  withConnection(async ({ db, queue, other, startWorker, pass }) => {
    queue.publish('g', 1);
    const worker = startWorker(() => new Promise(() => {}));
    await nextEvent(worker, 'started');
    db.exec("BEGIN; INSERT INTO notes VALUES ('x')");
    const stopped = worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 });
    assert.equal(worker.state, 'stopping');
    db.exec('ROLLBACK');
    await pass(5);
    assert.deepEqual(await waitFor('stop() to end', stopped), { released: 1, abandoned: 1 });
    assert.equal(other.claim('x', 1000)?.attempt, 1);
  }),
);

test(
  'nothing is claimed in a transaction that the handler of a suspect has begun',
  withConnection(async ({ db, queue, startWorker, pass }) => {
    queue.publish('suspect', 'suspect');
    queue.claimMany('dead', 1000, 1, { startNow: 0 });
    queue.release(['dead']);
    queue.publish('other', 'other');
    const handler = new ControlledHandler();
    startWorker((message, context) => {
      if (message.event !== 'suspect') return handler.handle(message, context);
      return db.exec("BEGIN; INSERT INTO notes VALUES ('x')");
    });
    await pass(50);
    assert.deepEqual(handler.started, []);
    assert.equal(db.inTransaction, true);
    db.exec('ROLLBACK');
    await pass(5);
    assert.deepEqual(handler.running, ['other']);
  }),
);

test(
  'no outcome is committed in a transaction that a listener of an earlier outcome has begun',
  withConnection(async ({ db, queue, startWorker, pass }) => {
    const groups = ['a', 'b', 'c'];
    for (const group of groups) queue.publish(group, group);
    const handler = new ControlledHandler();
    const worker = startWorker(async (message, context) => {
      await handler.handle(message, context);
      throw new Error('no');
    });
    const events = recordEvents(worker, 'failed');
    worker.on('failed', () => {
      if (events.length === 1) db.exec("BEGIN; INSERT INTO notes VALUES ('x')");
    });
    await handler.untilStarted(...groups);
    for (const group of groups) handler.finish(group);
    await pass(50);
    assert.deepEqual(events, ['failed a']);
    db.exec('ROLLBACK');
    await pass(15);
    assert.deepEqual(events, ['failed a', 'failed b', 'failed c']);
    assert.deepEqual(queue.holders().holders, []);
  }),
);

test(
  'no lease is renewed in a transaction that a listener of an earlier renewal has begun',
  withConnection(async ({ clock, db, queue, startWorker, pass }) => {
    for (const group of ['lost', 'held']) queue.publish(group, group);
    const handler = new ControlledHandler();
    const worker = startWorker(handler.handle, { visibilityMs: 1000, abortGraceMs: 60_000 });
    const events = recordEvents(worker, 'lease-lost');
    worker.on('lease-lost', () => db.exec("BEGIN; INSERT INTO notes VALUES ('x')"));
    await handler.untilStarted('lost', 'held');
    db.exec("UPDATE harel_transport_messages SET locked_by = 'x' WHERE group_id = 'lost'");
    await pass(505);
    assert.deepEqual(events, ['lease-lost lost']);
    db.exec('ROLLBACK');
    // The one that was not renewed would lapse at 1000.
    await pass(5);
    const expiry = db
      .prepare("SELECT lock_expiry FROM harel_transport_messages WHERE group_id = 'held'")
      .pluck()
      .get();
    assert.equal(expiry, (clock.now() + 1000) / 1000);
  }),
);

test(
  'no attempt is counted in a transaction that the handler of a last attempt has begun',
  withConnection(async ({ db, queue, other, startWorker, pass }) => {
    for (const group of ['first', 'second']) queue.publish(group, group);
    const handler = new ControlledHandler();
    startWorker(
      (message, context) => {
        if (message.event !== 'first') return handler.handle(message, context);
        return db.exec("BEGIN; INSERT INTO notes VALUES ('x')");
      },
      { maxAttempts: 1 },
    );
    await pass(50);
    assert.deepEqual([handler.started, db.inTransaction], [[], true]);
    db.exec('ROLLBACK');
    await pass(5);
    assert.deepEqual(handler.running, ['second']);
    other.release(other.holders().holders.map(({ workerId }) => workerId));
    assert.equal(other.claim('x', 1000)?.attempt, 2);
  }),
);

test(
  'while the app iterates over a statement on the connection, outcomes wait, and are settled right after',
  withConnection(async ({ db, queue, startWorker, pass }) => {
    db.exec("INSERT INTO notes VALUES ('x'), ('y')");
    for (let n = 0; n < 3; n++) queue.publish(`g${n}`, n);
    const handler = new ControlledHandler();
    const worker = startWorker(handler.handle, { visibilityMs: 30_000 });
    const events = recordEvents(worker, 'completed', 'message-error', 'lease-lost');
    await pass(5);
    const rows = db.prepare('SELECT * FROM notes').iterate();
    rows.next();
    for (let n = 0; n < 3; n++) handler.finish(n);
    await pass(16_000);
    assert.throws(() => queue.publish('g', 1), { code: 'BUSY', message: /end its iterator/ });
    assert.deepEqual(events, []);
    rows.return?.();
    await pass(1000);
    assert.deepEqual(events, ['completed g0', 'completed g1', 'completed g2']);
  }),
);

test(
  'each transaction that keeps the worker waiting for 5 s is told once, with its start and the remedy, and a short one is not',
  withConnection(async ({ clock, db, queue, startWorker, pass }) => {
    const lines: string[] = [];
    const log = (_facts: object, line: string) => void lines.push(line);
    const logger = { debug() {}, info: log, warn: log, error: log };
    const worker = startWorker(() => {}, { logger });
    const told: WorkerEvents['transport-error'][] = [];
    worker.on('transport-error', (detail) => told.push(detail));
    await pass(5);
    for (const count of [1, 2]) {
      for (let short = 0; short < 3; short++) {
        db.exec('BEGIN');
        worker.wake();
        await pass(3000);
        db.exec('ROLLBACK');
        await pass(5);
      }
      assert.equal(told.length, count - 1);
      db.exec('BEGIN');
      worker.wake();
      // Its first look.
      await new Promise(setImmediate);
      const since = clock.now();
      await pass(20_000);
      assert.equal(told.length, count);
      const { error, retryAt } = told.at(-1) as WorkerEvents['transport-error'];
      assert.equal((error as LeaseholdError).code, 'BUSY');
      const { message } = error as LeaseholdError;
      assert.ok(message.includes(new Date(since).toISOString()), message);
      assert.match(message, /COMMIT or ROLLBACK/);
      assert.equal(retryAt, since + 5005);
      assert.equal(worker.snapshot().waitsForTransactionSince, since);
      db.exec('ROLLBACK');
      await pass(5);
      assert.equal(worker.snapshot().waitsForTransactionSince, null);
    }
    queue.publish('g', 1);
    await nextEvent(worker, 'completed');
    const pair = ['the queue could not be used; the worker tries again', 'the queue can be used again'];
    assert.deepEqual(lines, [...pair, ...pair]);
  }),
);

test(
  'a worker at rest tells about a long transaction too: what others publish is hidden from it',
  withConnection(async ({ db, other, startWorker, pass }) => {
    const worker = startWorker(() => {}, { pollMs: 1000 });
    const told = recordEvents(worker, 'transport-error', 'completed');
    await pass(5);
    db.exec('BEGIN; SELECT * FROM notes');
    other.publish('g', 1);
    await pass(7000);
    assert.deepEqual(told, ['transport-error']);
    db.exec('ROLLBACK');
    await pass(1005);
    assert.deepEqual(told, ['transport-error', 'completed g']);
  }),
);

test(
  'a listener may end the transaction that it is told about',
  withConnection(async ({ db, queue, startWorker, pass }) => {
    queue.publish('g', 1);
    db.exec('BEGIN');
    const worker = startWorker(() => {});
    worker.on('transport-error', () => db.exec('ROLLBACK'));
    const events = recordEvents(worker, 'completed');
    await pass(5100);
    assert.deepEqual(events, ['completed g']);
  }),
);

test(
  'a worker whose transport is closed during a transaction of the app leaves no timer',
  withConnection(async ({ clock, db, queue, startWorker, pass }) => {
    db.exec('BEGIN');
    const worker = startWorker(() => {});
    await pass(20);
    queue.close();
    await worker.stop();
    assert.equal(clock.timers, 0);
    db.exec('ROLLBACK');
  }),
);

test(
  'the poll finds what the app writes by SQL of its own, and no claim follows calls of the own transport',
  withConnection(async ({ db, queue, startWorker, pass }) => {
    let claims = 0;
    const claimMany = queue.claimMany.bind(queue);
    queue.claimMany = (...args) => {
      claims++;
      return claimMany(...args);
    };
    const worker = startWorker(() => {}, { pollMs: 1000 });
    const completed = recordEvents(worker, 'completed');
    await pass(5);
    const putRaw = (groupId: string) =>
      db.exec(`INSERT INTO harel_transport_groups (group_id) VALUES ('${groupId}');
        INSERT INTO harel_transport_messages (group_id, event) VALUES ('${groupId}', '1')`);
    putRaw('a');
    await pass(1005);
    db.transaction(putRaw)('b');
    await pass(1005);
    assert.deepEqual(completed, ['completed a', 'completed b']);
    claims = 0;
    await pass(5000);
    assert.equal(claims, 0, 'an idle worker stays idle');
  }),
);
