/** Quick handlers make the worker claim more messages than it has slots. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Handler } from '../index.ts';
import { ControlledHandler, type Event } from './support/controlled-handler.ts';
import { nextEvent, recordEvents, untilEvents } from './support/signals.ts';
import { type WorkerBench, withQueue } from './support/worker-bench.ts';

/** Three quick executions, then controlled ones. */
function quickThenControlled(controlled: ControlledHandler): Handler<Event> {
  return async (message, context) => {
    if (message.event > 2) await controlled.handle(message, context);
  };
}

/** Starts a worker with one slot, and waits until its first controlled handler runs and more messages are prefetched. */
async function prefetch(startWorker: WorkerBench['startWorker']) {
  const handler = new ControlledHandler();
  const worker = startWorker(quickThenControlled(handler), { concurrency: 1, visibilityMs: 30_000 });
  const released = recordEvents(worker, 'released');
  await handler.untilStarted(3);
  const prefetched = worker.snapshot().waiting;
  assert.ok(prefetched > 0);
  return { worker, handler, released, prefetched };
}

test(
  'prefetched messages are released when handlers turn out to be slow, and are not claimed again',
  withQueue(async ({ clock, queue, spy, startWorker }) => {
    for (let n = 0; n < 30; n++) queue.publish(`g${n}`, n);
    const { worker, handler, released, prefetched } = await prefetch(startWorker);
    clock.advance(1000);
    await untilEvents(worker, 'released', prefetched);
    assert.equal(worker.snapshot().waiting, 0);
    spy.calls.length = 0;
    // The next turn renews the lease of the running message, and could claim.
    clock.advance(14_000);
    await spy.untilAnswered('extend');
    assert.deepEqual(spy.verbs, ['extend']);
    assert.equal(released.length, prefetched);
    assert.equal(queue.claim('x', 1000)?.attempt, 1, 'released without counting the attempt');
    handler.finish(3);
  }),
);

test(
  'prefetched messages are released when the priority floor changes, and when the worker pauses',
  withQueue(async ({ queue, spy, startWorker }) => {
    for (let n = 0; n < 30; n++) queue.publish(`g${n}`, n, { priority: n === 29 ? 3 : 0 });
    const { worker, handler, released, prefetched } = await prefetch(startWorker);
    worker.minPriority = 3;
    await untilEvents(worker, 'released', prefetched);
    const completed = nextEvent(worker, 'completed');
    handler.finish(3);
    await handler.untilStarted(29);
    await completed;
    assert.deepEqual(handler.running, [29], 'only what fits the new floor is started');
    worker.minPriority = 0;
    await spy.untilAnswered('claimMany');
    const again = worker.snapshot().waiting;
    assert.ok(again > 0);
    worker.pause();
    await untilEvents(worker, 'released', again);
    assert.equal(worker.snapshot().waiting, 0);
    assert.equal(released.length, prefetched + again);
    handler.finish(29);
  }),
);

test(
  'a prefetched message is released a second after its claim, also when its lease was renewed meanwhile',
  withQueue(async ({ clock, queue, spy, startWorker }) => {
    for (let n = 0; n < 30; n++) queue.publish(`g${n}`, n);
    const { worker, handler, released, prefetched } = await prefetch(startWorker);
    clock.advance(500);
    worker.wake();
    await spy.untilAnswered('extend', prefetched + 1);
    clock.advance(500);
    await untilEvents(worker, 'released', prefetched);
    assert.deepEqual(
      released,
      Array.from({ length: prefetched }, (_, n) => `released g${4 + n}`),
    );
    handler.finish(3);
  }),
);
