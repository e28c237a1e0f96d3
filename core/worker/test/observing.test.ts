/** What a worker shows of itself: its snapshot, its log, its states. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextEvent, untilIdle } from './support/signals.ts';
import { withQueue } from './support/worker-bench.ts';

test(
  'a snapshot is plain data with the running handlers, the totals, and the counts of the last minutes',
  withQueue(async ({ clock, queue, startWorker }) => {
    queue.publish('g', 1, { priority: 2, routingKey: 'k' });
    const end = Promise.withResolvers<void>();
    const worker = startWorker(
      async (_message, { progress }) => {
        progress(0.5, 'half');
        await end.promise;
      },
      { concurrency: 3, minPriority: 1, routingKeys: ['k'] },
    );
    await nextEvent(worker, 'started');
    const since = clock.now();
    clock.advance(7000);
    const { history, ...snapshot } = worker.snapshot();
    const none = { completed: 0, failed: 0, parked: 0, buried: 0, leaseLost: 0 };
    assert.deepEqual(snapshot, {
      workerId: worker.id,
      state: 'running',
      pausedFor: [],
      startedAt: since,
      concurrency: 3,
      minPriority: 1,
      routingKeys: ['k'],
      running: [{ seq: 1, groupId: 'g', attempt: 1, since, progress: 0.5, note: 'half', aborted: false }],
      waiting: 0,
      waitsForTransactionSince: null,
      totals: none,
      lastMinute: none,
    });
    assert.deepEqual(structuredClone(worker.snapshot()), worker.snapshot());
    assert.equal(history.steps.length, 60);
    end.resolve();
    await untilIdle(worker);
  }),
);

test(
  'a completed message counts in lastMinute for a minute, in the history for five, and in the totals permanently',
  withQueue(async ({ clock, queue, startWorker }) => {
    queue.publish('g', 1);
    const worker = startWorker(() => {});
    await untilIdle(worker);
    const inHistory = () =>
      worker.snapshot().history.steps.reduce((sum, { completed }) => sum + completed, 0);
    clock.advance(50_000);
    assert.equal(worker.snapshot().lastMinute.completed, 1);
    clock.advance(20_000);
    assert.equal(worker.snapshot().lastMinute.completed, 0);
    assert.equal(inHistory(), 1);
    const [first, second] = worker.snapshot().history.steps;
    assert.equal((second?.at ?? 0) - (first?.at ?? 0), 5000);
    clock.advance(300_000);
    assert.equal(inHistory(), 0);
    assert.equal(worker.snapshot().totals.completed, 1);
  }),
);

test(
  "a step of the wall clock does not change how long a snapshot's handler has been running",
  withQueue(async ({ clock, queue, startWorker }) => {
    queue.publish('g', 1);
    const worker = startWorker(() => new Promise(() => {}));
    await nextEvent(worker, 'started');
    clock.step(-3_600_000);
    clock.advance(2000);
    assert.equal(worker.snapshot().running[0]?.since, clock.now() - 2000);
  }),
);

test(
  'the worker calls its logger as a method, with an object of facts and a sentence, as pino and electron-log expect',
  withQueue(async ({ clock, queue, startWorker }) => {
    queue.publish('ok', 1);
    queue.publish('bad', 2);
    type Level = 'debug' | 'info' | 'warn' | 'error';
    const lines: { level: Level; args: unknown[] }[] = [];
    class PinoLike {
      write(level: Level, args: unknown[]) {
        lines.push({ level, args });
      }
      debug(...args: unknown[]) {
        this.write('debug', args);
      }
      info(...args: unknown[]) {
        this.write('info', args);
      }
      warn(...args: unknown[]) {
        this.write('warn', args);
      }
      error(...args: unknown[]) {
        this.write('error', args);
      }
    }
    const worker = startWorker(
      ({ groupId }) => {
        if (groupId === 'bad') throw new Error('no');
      },
      { logger: new PinoLike(), backoff: { initialMs: 10, jitter: 0 }, maxAttempts: 2 },
    );
    await untilIdle(worker);
    clock.advance(11);
    await nextEvent(worker, 'buried');
    for (const { args } of lines)
      assert.deepEqual(
        args.map((arg) => typeof arg),
        ['object', 'string'],
      );
    const sent = (seq: number) =>
      lines.filter(({ args: [facts] }) => (facts as { seq?: number }).seq === seq).map(({ level }) => level);
    assert.deepEqual(sent(1), ['debug']);
    assert.deepEqual(sent(2), ['warn', 'error']);
    const buried = lines.find(({ level }) => level === 'error')?.args[0] as { err: Error; workerId: string };
    assert.deepEqual([buried.err.message, buried.workerId], ['no', worker.id]);
  }),
);

test(
  'an error that the logger throws does not affect the message, and is raised on its own',
  withQueue(async ({ queue, startWorker }, t) => {
    const raised: (() => void)[] = [];
    t.mock.method(globalThis, 'queueMicrotask', (raise: () => void) => void raised.push(raise));
    queue.publish('g', 1);
    const fail = () => {
      throw new Error('the log file is gone');
    };
    const worker = startWorker(() => {}, { logger: { debug: fail, info: fail, warn: fail, error: fail } });
    await nextEvent(worker, 'completed');
    assert.equal(worker.snapshot().totals.completed, 1);
    assert.ok(raised.length > 0);
    for (const raise of raised) assert.throws(raise, /the log file is gone/);
  }),
);

test(
  'a worker without a logger prints nothing to the console',
  withQueue(async ({ queue, startWorker }, t) => {
    const printed: unknown[] = [];
    for (const method of ['debug', 'info', 'log', 'warn', 'error'] as const)
      t.mock.method(console, method, (...line: unknown[]) => printed.push(line));
    queue.publish('g', 1);
    const worker = startWorker(
      () => {
        throw new Error('no');
      },
      { maxAttempts: 1 },
    );
    await untilIdle(worker);
    assert.equal(worker.snapshot().totals.buried, 1);
    assert.deepEqual(printed, []);
  }),
);

test(
  'a worker emits each of its states in order',
  withQueue(async ({ startWorker }) => {
    const worker = startWorker(() => {});
    const states: string[] = [worker.state];
    worker.on('state', ({ state }) => states.push(state));
    await untilIdle(worker);
    worker.pause();
    worker.resume();
    await worker.stop();
    assert.deepEqual(states, ['starting', 'running', 'paused', 'running', 'stopping', 'stopped']);
  }),
);
