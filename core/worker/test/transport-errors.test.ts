import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Closed } from '../../contract/errors.ts';
import { ControlledHandler } from './support/controlled-handler.ts';
import { nextEvent, recordEvents, untilIdle } from './support/signals.ts';
import { WRITING_VERBS } from './support/transport-spy.ts';
import { bothTransports, withQueue, withTransport } from './support/worker-bench.ts';

for (const kind of bothTransports)
  test(
    `a queue that cannot be written is tried again, later each time, and no result is lost (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, spy, startWorker }) => {
      for (const event of ['a', 'b', 'c']) queue.publish(event, event);
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle, { concurrency: 2, visibilityMs: 60_000 });
      const waits: (number | null)[] = [];
      worker.on('transport-error', ({ retryAt }) => waits.push(retryAt && retryAt - clock.now()));
      await handler.untilStarted('a', 'b');
      spy.fail(WRITING_VERBS);
      handler.finish('a');
      for (const ms of [0, 100, 200, 400]) {
        clock.advance(ms);
        await nextEvent(worker, 'transport-error');
      }
      assert.deepEqual(waits, [100, 200, 400, 800]);
      spy.recover();
      clock.advance(800);
      await handler.untilStarted('c');
      assert.deepEqual(handler.running, ['b', 'c']);
      handler.finish('b');
      handler.finish('c');
      await untilIdle(worker);
      assert.equal(worker.snapshot().totals.completed, 3);
    }),
  );

test(
  'claimed messages are still handled, one slice after the other, while the transport waits for its retry',
  withQueue(async ({ clock, queue, spy, startWorker }) => {
    for (const event of ['a', 'b', 'c', 'd']) queue.publish(event, event);
    spy.fail(['ackAndClaimMany']);
    const started: unknown[] = [];
    const worker = startWorker(
      ({ event }) => {
        started.push(event);
        // Longer than the time for which the worker calls handlers at a stretch.
        clock.advance(5);
      },
      { concurrency: 4 },
    );
    const errors = recordEvents(worker, 'transport-error');
    await nextEvent(worker, 'started', ({ groupId }) => groupId === 'd');
    assert.deepEqual(started, ['a', 'b', 'c', 'd']);
    assert.equal(errors.length, 1);
    spy.recover();
    clock.advance(100);
    await untilIdle(worker);
    assert.equal(worker.snapshot().totals.completed, 4);
  }),
);

test(
  'a worker stops by itself, and fires the signals of its handlers, when its transport is closed',
  withQueue(async ({ queue, startWorker }) => {
    queue.publish('g', 1);
    let signal: AbortSignal | undefined;
    const worker = startWorker((_message, context) => {
      signal = context.signal;
      return new Promise(() => {});
    });
    await nextEvent(worker, 'started');
    const failure = nextEvent(worker, 'transport-error');
    queue.close();
    assert.equal((await failure).retryAt, null);
    assert.equal(worker.state, 'stopped');
    assert.equal(signal?.aborted, true);
    assert.deepEqual(await worker.stop(), { released: 0, abandoned: 0 });
  }),
);

test(
  'a worker stops by itself when a call of its transport raises Closed',
  withQueue(async ({ queue, spy, startWorker }) => {
    queue.publish('g', 1);
    spy.fail(['claimMany'], new Closed());
    const worker = startWorker(() => {});
    const { error, retryAt } = await nextEvent(worker, 'transport-error');
    assert.deepEqual([(error as Closed).code, retryAt, worker.state], ['CLOSED', null, 'stopped']);
    assert.deepEqual(await worker.stop(), { released: 0, abandoned: 0 });
  }),
);

test(
  'a worker that cannot look for dead workers at its start logs the error, and handles messages',
  withQueue(async ({ queue, spy, startWorker }) => {
    queue.publish('g', 1);
    spy.fail(['holders'], new Error('disk failure'));
    const logged: unknown[] = [];
    const error = (facts: object) => void logged.push((facts as { err: Error }).err.message);
    const worker = startWorker(() => {}, { logger: { debug() {}, info() {}, warn() {}, error } });
    await nextEvent(worker, 'completed');
    assert.deepEqual(logged, ['disk failure']);
  }),
);
