import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControlledHandler } from './support/controlled-handler.ts';
import { nextEvent, recordEvents, untilEvents, untilIdle } from './support/signals.ts';
import { withQueue } from './support/worker-bench.ts';

test(
  'the concurrency can be raised and lowered while handlers run',
  withQueue(async ({ queue, startWorker }) => {
    for (const event of ['a', 'b', 'c', 'd', 'e']) queue.publish(event, event);
    const handler = new ControlledHandler();
    const worker = startWorker(handler.handle, { concurrency: 1 });
    await handler.untilStarted('a');
    assert.deepEqual(handler.running, ['a']);
    worker.concurrency = 3;
    await handler.untilStarted('c');
    assert.deepEqual(handler.running, ['a', 'b', 'c']);
    worker.concurrency = 1;
    handler.finish('a');
    handler.finish('b');
    await untilEvents(worker, 'completed', 2);
    assert.deepEqual(handler.running, ['c'], 'running handlers finish, and no other is started');
    handler.finish('c');
    await handler.untilStarted('d');
    assert.deepEqual(handler.running, ['d']);
    handler.finish('d');
    handler.finish('e');
    await untilIdle(worker);
    assert.equal(worker.snapshot().totals.completed, 5);
  }),
);

test(
  'the priority floor and the routing keys can be changed while the worker runs',
  withQueue(async ({ queue, startWorker }) => {
    queue.publish('low', 'low');
    queue.publish('high', 'high', { priority: 3 });
    queue.publish('keyed', 'keyed', { priority: 3, routingKey: 'k' });
    const handled: string[] = [];
    const worker = startWorker(({ event }) => void handled.push(event), {
      minPriority: 2,
      routingKeys: ['k'],
    });
    await untilIdle(worker);
    assert.deepEqual(handled, ['keyed']);
    worker.routingKeys = undefined;
    await nextEvent(worker, 'completed');
    await untilIdle(worker);
    assert.deepEqual(handled, ['keyed', 'high']);
    worker.configure({ minPriority: 0, concurrency: 2 });
    await nextEvent(worker, 'completed');
    await untilIdle(worker);
    assert.deepEqual(handled, ['keyed', 'high', 'low']);
    assert.deepEqual([worker.minPriority, worker.routingKeys, worker.concurrency], [0, undefined, 2]);
  }),
);

test(
  'an invalid setting is refused and leaves the other settings unchanged',
  withQueue(async ({ startWorker }) => {
    const worker = startWorker(() => {}, { concurrency: 2 });
    assert.throws(
      () => worker.configure({ concurrency: 3, minPriority: 9 }),
      /minPriority must be a whole number/,
    );
    assert.throws(() => worker.configure({ visibilityMs: 5 } as object), /Misspelled option "visibilityMs"/);
    assert.equal(worker.concurrency, 2);
  }),
);

test(
  'a paused worker claims nothing, lets handlers finish, and resumes when every reason is withdrawn',
  withQueue(async ({ queue, startWorker }) => {
    const handler = new ControlledHandler();
    queue.publish('a', 'a');
    const worker = startWorker(handler.handle);
    await handler.untilStarted('a');
    worker.pause();
    worker.pause('battery');
    queue.publish('b', 'b');
    handler.finish('a');
    await untilIdle(worker);
    assert.deepEqual(handler.started, ['a']);
    assert.deepEqual([worker.state, worker.snapshot().pausedFor], ['paused', ['paused', 'battery']]);
    worker.resume();
    await untilIdle(worker);
    assert.deepEqual([handler.started, worker.state], [['a'], 'paused']);
    worker.resume('battery');
    await handler.untilStarted('b');
    assert.deepEqual([handler.running, worker.state], [['b'], 'running']);
    handler.finish('b');
    await untilIdle(worker);
  }),
);

test(
  'a worker that is paused before its first turn starts paused',
  withQueue(async ({ queue, startWorker }) => {
    queue.publish('a', 'a');
    const worker = startWorker(() => {});
    const events = recordEvents(worker, 'state', 'started', 'completed');
    worker.pause();
    await nextEvent(worker, 'state');
    await untilIdle(worker);
    assert.deepEqual([worker.state, events], ['paused', ['state']]);
    worker.resume();
    await nextEvent(worker, 'completed');
  }),
);
