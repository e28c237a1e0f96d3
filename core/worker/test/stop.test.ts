import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../contract/clock.ts';
import { Park, runWorker } from '../index.ts';
import { ControlledHandler } from './support/controlled-handler.ts';
import { nextEvent, recordEvents, untilEvents, untilIdle, waitFor } from './support/signals.ts';
import { bothTransports, withQueue, withTransport } from './support/worker-bench.ts';

const atOnce = { stopTimeoutMs: 0, abortGraceMs: 0 };

for (const kind of bothTransports) {
  test(
    `stop waits for running handlers, acks their messages, and claims no more (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, startWorker }) => {
      for (const event of ['a', 'b', 'c']) queue.publish(event, event);
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle, { concurrency: 2 });
      await handler.untilStarted('a', 'b');
      const stopping = worker.stop({ stopTimeoutMs: 10_000 });
      assert.equal(worker.state, 'stopping');
      handler.finish('a');
      await nextEvent(worker, 'completed');
      clock.advance(9000);
      handler.finish('b');
      assert.deepEqual(await waitFor('stop() to end', stopping), { released: 0, abandoned: 0 });
      assert.equal(worker.state, 'stopped');
      assert.deepEqual(handler.started, ['a', 'b']);
      assert.equal(queue.claim('x', 1000)?.event, 'c');
    }),
  );

  test(
    `after stopTimeoutMs stop aborts handlers, and releases their messages without counting the attempt (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, startWorker }) => {
      queue.publish('polite', 1);
      queue.publish('deaf', 2);
      const signals: AbortSignal[] = [];
      const worker = startWorker(
        ({ groupId }, { signal }) =>
          new Promise<void>((_resolve, reject) => {
            signals.push(signal);
            if (groupId === 'polite') signal.addEventListener('abort', () => reject(signal.reason));
          }),
        { stopTimeoutMs: 3000, abortGraceMs: 500 },
      );
      const events = recordEvents(worker, 'failed', 'released', 'abandoned');
      await untilEvents(worker, 'started', 2);
      const stopping = worker.stop();
      const aborted = () => signals.map((signal) => signal.aborted);
      clock.advance(2999);
      assert.deepEqual(aborted(), [false, false]);
      const released = nextEvent(worker, 'released');
      clock.advance(1);
      assert.deepEqual(aborted(), [true, true]);
      await released;
      assert.deepEqual(events, ['released polite']);
      clock.advance(500);
      assert.deepEqual(await waitFor('stop() to end', stopping), { released: 2, abandoned: 1 });
      assert.deepEqual(events, ['released polite', 'abandoned deaf', 'released deaf']);
      for (let n = 0; n < 2; n++) assert.equal(queue.claim('x', 1000)?.attempt, 1);
    }),
  );

  test(
    `a handler that returns after the signal of a stop does not complete its message (${kind} transport)`,
    withTransport(kind, async ({ queue, startWorker }) => {
      queue.publish('g', 1);
      const worker = startWorker(
        (_message, { signal }) =>
          new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
      );
      await nextEvent(worker, 'started');
      assert.deepEqual(await waitFor('stop() to end', worker.stop({ stopTimeoutMs: 0 })), {
        released: 1,
        abandoned: 0,
      });
      assert.equal(queue.claim('x', 1000)?.attempt, 1);
    }),
  );

  test(
    `a worker that is stopped before its first turn handles nothing (${kind} transport)`,
    withTransport(kind, async ({ queue, startWorker }) => {
      queue.publish('g', 1);
      const worker = startWorker(() => {});
      const events = recordEvents(worker, 'started');
      assert.deepEqual(await worker.stop(), { released: 0, abandoned: 0 });
      const successor = startWorker(() => {});
      assert.equal((await nextEvent(successor, 'completed')).attempt, 1);
      assert.deepEqual([worker.state, events], ['stopped', []]);
    }),
  );
}

for (const verb of ['holders', 'claimMany'] as const)
  test(
    `a worker that is stopped while its first call of ${verb} is pending handles nothing`,
    withTransport('asynchronous', async ({ queue, spy, startWorker }) => {
      queue.publish('g', 1);
      const worker = startWorker(() => {});
      const events = recordEvents(worker, 'started');
      await spy.untilCalled(verb);
      const answered = spy.untilAnswered(verb);
      await waitFor('stop() to end', worker.stop());
      await answered;
      const successor = startWorker(() => {});
      assert.equal((await nextEvent(successor, 'completed')).attempt, 1);
      assert.deepEqual([worker.state, events], ['stopped', []]);
    }),
  );

test(
  'with a synchronous transport and both times 0, every message is released when stop returns',
  withQueue(async ({ queue, connect, startWorker }) => {
    for (let n = 0; n < 6; n++) queue.publish(`g${n}`, n);
    const handler = new ControlledHandler();
    const worker = startWorker(handler.handle, { concurrency: 5 });
    await handler.untilStarted(0, 1, 2, 3, 4);
    void worker.stop(atOnce);
    assert.equal(worker.state, 'stopped');
    assert.equal(connect().claimMany('x', 1000, 10).length, 6);
  }),
);

test(
  'a further stop returns the same promise, and can shorten both waits but never lengthen them',
  withQueue(async ({ clock, queue, startWorker }) => {
    queue.publish('g', 1);
    const worker = startWorker(() => new Promise(() => {}));
    await nextEvent(worker, 'started');
    const stopping = worker.stop({ stopTimeoutMs: 1000, abortGraceMs: 500 });
    assert.equal(worker.stop({ stopTimeoutMs: 2000, abortGraceMs: 9000 }), stopping);
    clock.advance(1000);
    assert.equal(worker.snapshot().running[0]?.aborted, true);
    void worker.stop({ stopTimeoutMs: 2000, abortGraceMs: 100 });
    clock.advance(60);
    // The grace that is left does not begin again.
    void worker.stop({ stopTimeoutMs: 0, abortGraceMs: 100 });
    clock.advance(40);
    assert.deepEqual(await waitFor('stop() to end', stopping), { released: 1, abandoned: 1 });
    assert.equal(await worker.stop(), await stopping);
  }),
);

test(
  'a further stop with both times 0 ends a stop that still waits for handlers',
  withQueue(async ({ clock, queue, startWorker }) => {
    queue.publish('g', 1);
    const worker = startWorker(() => new Promise(() => {}));
    await nextEvent(worker, 'started');
    const stopping = worker.stop({ stopTimeoutMs: 10_000, abortGraceMs: 1000 });
    clock.advance(2000);
    assert.equal(worker.state, 'stopping');
    void worker.stop(atOnce);
    assert.deepEqual(await waitFor('stop() to end', stopping), { released: 1, abandoned: 1 });
  }),
);

test(
  'a handler may stop its own worker',
  withQueue(async ({ queue, startWorker }) => {
    queue.publish('a', 1);
    queue.publish('b', 2);
    const stopped = Promise.withResolvers<unknown>();
    const worker = startWorker(
      () => {
        void worker.stop().then(stopped.resolve);
      },
      { concurrency: 1 },
    );
    await waitFor('stop() to end', stopped.promise);
    assert.equal(worker.snapshot().totals.completed, 1);
    assert.equal(queue.claim('x', 1000)?.attempt, 1);
  }),
);

test(
  'a Park that a handler returns after the signal of a stop parks the message',
  withQueue(async ({ clock, queue, startWorker }) => {
    queue.publish('g', 1);
    const worker = startWorker(
      (_message, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(new Park({ delayMs: 4000 })));
        }),
    );
    await nextEvent(worker, 'started');
    await waitFor('stop() to end', worker.stop({ stopTimeoutMs: 0 }));
    assert.equal(queue.nextExpiry(), clock.now() + 4000);
  }),
);

for (const [event, error] of [
  ['transport-error', undefined],
  ['message-error', new Error('a damaged row')],
] as const)
  test(
    `stop ends even when the transport fails to release a message (${event})`,
    withQueue(async ({ queue, spy, startWorker }) => {
      queue.publish('g', 1);
      const worker = startWorker(() => new Promise(() => {}));
      await nextEvent(worker, 'started');
      spy.fail(['nack'], error);
      const failure = nextEvent(worker, event);
      await waitFor('stop() to end', worker.stop(atOnce));
      assert.equal((await failure).retryAt, null);
      assert.equal(worker.state, 'stopped');
    }),
  );

test(
  'idle() resolves when the worker stops, and at once when it has stopped',
  withQueue(async ({ queue, startWorker }) => {
    queue.publish('g', 1);
    const worker = startWorker(() => new Promise(() => {}));
    const idle = untilIdle(worker).then(() => worker.state);
    await nextEvent(worker, 'started');
    await waitFor('stop() to end', worker.stop(atOnce));
    assert.equal(await idle, 'stopped');
    await untilIdle(worker);
  }),
);

test(
  'stop refuses a misspelled option and a negative time',
  withQueue(async ({ startWorker }) => {
    const worker = startWorker(() => {});
    assert.throws(() => worker.stop({ stopTimeoutms: 1 } as object), /did you mean "stopTimeoutMs"/);
    assert.throws(
      () => worker.stop({ stopTimeoutMs: -1 }),
      /stopTimeoutMs must be a finite number of at least 0/,
    );
  }),
);

test(
  "without a clock option a worker uses the system's clock",
  withQueue(async ({ queue }) => {
    queue.publish('g', 1);
    const worker = runWorker(queue, () => {});
    await untilIdle(worker);
    await waitFor('stop() to end', worker.stop());
    assert.equal(worker.snapshot().totals.completed, 1);
    const { startedAt } = worker.snapshot();
    assert.ok(Math.abs(startedAt - systemClock.now()) < 3_600_000);
  }),
);
