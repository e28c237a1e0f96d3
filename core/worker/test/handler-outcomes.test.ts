import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bury, type Lease, type LeaseholdError, Park } from '../../index.ts';
import { nextEvent, recordEvents, untilIdle } from './support/signals.ts';
import { bothTransports, withQueue, withTransport } from './support/worker-bench.ts';

const backoff = { initialMs: 1000, factor: 2, maxMs: 3000, jitter: 0 };

for (const kind of bothTransports) {
  test(
    `a failing message waits longer each time, up to the maximum, and its last attempt buries it (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, startWorker }) => {
      queue.publish('g', 1);
      queue.publish('g', 2);
      const attempts: string[] = [];
      const worker = startWorker(
        async ({ event }, { attempt, lastAttempt }) => {
          attempts.push(`${event}/${attempt}${lastAttempt ? ' last' : ''}`);
          if (event === 1) throw new RangeError(`attempt ${attempt}`);
        },
        { backoff, maxAttempts: 4 },
      );
      const waits: number[] = [];
      worker.on('failed', ({ retryAt }) => waits.push(retryAt - clock.now()));
      for (const outcome of ['failed', 'failed', 'buried'] as const) {
        await untilIdle(worker);
        // A lock is still held at exactly its expiry.
        assert.equal(clock.nextTimerIn, (waits.at(-1) ?? 0) + 1);
        clock.advance(clock.nextTimerIn);
        await nextEvent(worker, outcome);
      }
      await untilIdle(worker);
      assert.equal(clock.nextTimerIn, null);
      assert.deepEqual(waits, [1000, 2000, 3000]);
      assert.deepEqual(attempts, ['1/1', '1/2', '1/3', '1/4 last', '2/1']);
      const [dead] = queue.deadLetters();
      assert.deepEqual([dead?.seq, dead?.attempts], [1, 4]);
      assert.match(dead?.error ?? '', /^RangeError: attempt 4\n {4}at /);
      const { completed, failed, buried } = worker.snapshot().totals;
      assert.deepEqual({ completed, failed, buried }, { completed: 1, failed: 3, buried: 1 });
    }),
  );

  test(
    `a message whose handler throws or returns Park waits, and no attempt is counted (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, startWorker }) => {
      queue.publish('g', 'x');
      const attempts: number[] = [];
      const worker = startWorker(
        async (_message, { attempt }) => {
          attempts.push(attempt);
          if (attempts.length === 1) throw new Park({ delayMs: 500, reason: 'offline' });
          if (attempts.length === 2) return new Park({ until: clock.now() + 700 });
          return 'any other result completes the message';
        },
        { maxAttempts: 1 },
      );
      const parks: string[] = [];
      worker.on('parked', ({ until, reason }) => parks.push(`${until - clock.now()} ${reason}`));
      await untilIdle(worker);
      assert.equal(clock.nextTimerIn, 501);
      clock.advance(501);
      await nextEvent(worker, 'parked');
      await untilIdle(worker);
      assert.equal(clock.nextTimerIn, 701);
      clock.advance(701);
      await nextEvent(worker, 'completed');
      assert.deepEqual(parks, ['500 offline', '700 null']);
      assert.deepEqual(attempts, [1, 1, 1]);
      assert.equal(worker.snapshot().totals.completed, 1);
    }),
  );
}

test(
  'a Park until a time in the past makes the message claimable at once',
  withQueue(async ({ clock, queue, startWorker }) => {
    queue.publish('g', 1);
    let executions = 0;
    const worker = startWorker(() => {
      executions++;
      return executions < 3 ? new Park({ until: clock.now() - 5 }) : null;
    });
    await untilIdle(worker);
    assert.equal(executions, 3);
    assert.equal(worker.snapshot().totals.completed, 1);
  }),
);

test(
  'Bury moves the message to the dead letters at once, however many attempts are left',
  withQueue(async ({ queue, startWorker }) => {
    queue.publish('g', 1);
    queue.publish('g', 2);
    const worker = startWorker(async ({ event }) => {
      if (event === 1) throw new Bury('the file is gone');
    });
    await untilIdle(worker);
    assert.match(queue.deadLetters()[0]?.error ?? '', /^Bury: the file is gone/);
    assert.equal(worker.snapshot().totals.completed, 1);
  }),
);

for (const [name, value, lastError] of [
  ['undefined', undefined, 'Thrown, and not an Error: undefined'],
  ['a string', 'oh no', 'Thrown, and not an Error: "oh no"'],
  ['null', null, 'Thrown, and not an Error: null'],
  ['a symbol', Symbol('s'), 'Thrown, and not an Error: Symbol(s)'],
] as const)
  test(
    `a handler that throws ${name} fails, and the last error shows the thrown value`,
    withQueue(async ({ clock, queue, startWorker }) => {
      queue.publish('g', 1);
      const worker = startWorker(
        () => {
          throw value;
        },
        { backoff },
      );
      await nextEvent(worker, 'failed');
      await worker.stop();
      clock.advance(1001);
      assert.equal(queue.claim('x', 1000)?.lastError, lastError);
    }),
  );

test(
  'a handler may return a value, a promise, or any other thenable',
  withQueue(async ({ queue, startWorker }) => {
    for (let n = 0; n < 3; n++) queue.publish('g', n);
    const worker = startWorker(({ event }) => {
      if (event === 0) return 'a value';
      if (event === 1) return Promise.resolve();
      // biome-ignore lint/suspicious/noThenProperty: this test is about thenables
      return { then: (resolve: () => void) => queueMicrotask(resolve) };
    });
    const completed = recordEvents(worker, 'completed');
    await untilIdle(worker);
    assert.equal(completed.length, 3);
  }),
);

test(
  'a handler fails when it returns an object whose `then` throws, and the worker goes on',
  withQueue(async ({ queue, startWorker }) => {
    queue.publish('g', 1);
    queue.publish('h', 2);
    const worker = startWorker(({ event }) => {
      if (event === 2) return null;
      return {
        // biome-ignore lint/suspicious/noThenProperty: this test is about thenables
        get then() {
          throw new Error('no then');
        },
      };
    });
    const events = recordEvents(worker, 'completed', 'failed', 'transport-error');
    await untilIdle(worker);
    assert.deepEqual(events.sort(), ['completed h', 'failed g']);
  }),
);

test(
  'a message whose last attempt ended without an outcome is buried and not handled',
  withQueue(async ({ clock, queue, startWorker }) => {
    queue.publish('g', 1);
    for (let n = 0; n < 3; n++) {
      assert.ok(queue.claim('dies each time', 1000));
      clock.advance(1001);
    }
    let executions = 0;
    const worker = startWorker(() => void executions++, { maxAttempts: 3 });
    const codes: unknown[] = [];
    worker.on('buried', ({ error }) => codes.push((error as LeaseholdError).code));
    await untilIdle(worker);
    assert.equal(executions, 0);
    assert.deepEqual(codes, ['NO_OUTCOME']);
    assert.match(
      queue.deadLetters()[0]?.error ?? '',
      /Started 3 times \(maxAttempts 3\), and the last start ended without an outcome/,
    );
  }),
);

test(
  "the caller's backoff function decides the wait, and one that throws or returns NaN means one second",
  withQueue(async ({ clock, queue, startWorker }) => {
    queue.publish('g', 1);
    const results = [
      () => 42,
      () => Number.NaN,
      () => {
        throw new Error('backoff');
      },
      () => 0,
    ];
    let errorsLogged = 0;
    const worker = startWorker(
      (_message, { attempt }) => {
        if (attempt < 5) throw new Error(`${attempt}`);
      },
      {
        backoff: (attempt, error) => {
          assert.equal((error as Error).message, `${attempt}`);
          return results[attempt - 1]?.() ?? 0;
        },
        logger: { debug() {}, info() {}, warn() {}, error: () => void errorsLogged++ },
      },
    );
    const waits: number[] = [];
    worker.on('failed', ({ retryAt }) => waits.push(retryAt - clock.now()));
    for (const ms of [43, 1001, 1001]) {
      await untilIdle(worker);
      clock.advance(ms);
      await nextEvent(worker, 'failed');
    }
    await untilIdle(worker);
    assert.deepEqual(waits, [42, 1000, 1000, 0]);
    assert.equal(errorsLogged, 2);
    assert.equal(worker.snapshot().totals.completed, 1);
  }),
);

test(
  'a message that has failed more often than a lowered maxAttempts runs once more, and keeps the error of its failure',
  withQueue(async ({ queue, startWorker }) => {
    queue.publish('g', 1);
    for (let n = 0; n < 4; n++) queue.nack(queue.claim('w', 1000) as Lease, 0, { error: 'earlier' });
    const last: boolean[] = [];
    const worker = startWorker(
      (_message, { lastAttempt }) => {
        last.push(lastAttempt);
        throw new RangeError('the disk is not connected');
      },
      { maxAttempts: 3 },
    );
    await untilIdle(worker);
    assert.deepEqual(last, [true]);
    const [dead] = queue.deadLetters();
    assert.equal(dead?.attempts, 5);
    assert.match(dead?.error ?? '', /^RangeError: the disk is not connected/);
  }),
);
