/** The last attempt of a message is counted just before its handler is called: no other message can use it up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { attemptsAfterDeath } from './support/attempts-after-death.ts';
import { ControlledHandler, type Event } from './support/controlled-handler.ts';
import { nextEvent, recordEvents, untilEvents, untilIdle } from './support/signals.ts';
import { bothTransports, withTransport } from './support/worker-bench.ts';

/** Lets the messages fail once, and gives back the others without an attempt; their groups stay in this order. */
function failOnce(queue: SqliteTransport<Event>, failing: readonly string[]): void {
  for (const lease of queue.claimMany('x', 1000, 100))
    queue.nack(lease, 0, { countAttempt: failing.includes(lease.groupId) });
}

for (const kind of bothTransports) {
  test(
    `what was claimed beside a last attempt that runs has used none (${kind} transport)`,
    withTransport(kind, async ({ queue, connect, startWorker }) => {
      for (const group of ['a', 'b', 'c', 'd']) queue.publish(group, group);
      const handler = new ControlledHandler();
      startWorker(handler.handle, { maxAttempts: 1, concurrency: 2 });
      await handler.untilStarted('a', 'b');
      assert.deepEqual(attemptsAfterDeath(connect()), { a: 2, b: 2, c: 1, d: 1 });
    }),
  );

  test(
    `last attempts that are claimed together are counted one by one, each when its handler is about to be called (${kind} transport)`,
    withTransport(kind, async ({ queue, spy, startWorker }) => {
      for (const group of ['a', 'b', 'c']) queue.publish(group, group);
      const order: string[] = [];
      spy.beforeCall = (verb) => {
        if (verb === 'countAttempt') order.push('count');
      };
      const worker = startWorker(({ event }) => void order.push(event), { maxAttempts: 1 });
      await untilEvents(worker, 'completed', 3);
      assert.deepEqual(order, ['count', 'a', 'count', 'b', 'count', 'c']);
    }),
  );

  test(
    `first and last attempts that are claimed together start in their order (${kind} transport)`,
    withTransport(kind, async ({ queue, startWorker }) => {
      const groups = Array.from({ length: 40 }, (_, n) => `g${n}`);
      queue.publishMany(groups.map((groupId) => ({ groupId, event: groupId })));
      failOnce(
        queue,
        groups.filter((_, n) => n % 3 === 0),
      );
      const started: Event[] = [];
      const worker = startWorker(({ event }) => void started.push(event), { maxAttempts: 2, concurrency: 3 });
      await untilEvents(worker, 'completed', 40);
      assert.deepEqual(started, groups);
    }),
  );

  test(
    `with maxAttempts 1 a thousand handlers at once handle everything, once (${kind} transport)`,
    withTransport(kind, async ({ queue, startWorker }) => {
      const groups = Array.from({ length: 3000 }, (_, n) => `g${n}`);
      queue.publishMany(groups.map((groupId) => ({ groupId, event: groupId })));
      const started: Event[] = [];
      const worker = startWorker(({ event }) => void started.push(event), {
        maxAttempts: 1,
        concurrency: 1000,
      });
      await untilEvents(worker, 'completed', 3000);
      assert.deepEqual(started.toSorted(), groups.toSorted());
    }),
  );

  test(
    `a last attempt that fails is buried with its error (${kind} transport)`,
    withTransport(kind, async ({ queue, startWorker }) => {
      queue.publish('g', 'g');
      const worker = startWorker(() => Promise.reject(new Error('no')), { maxAttempts: 1 });
      await nextEvent(worker, 'buried');
      const [dead] = queue.deadLetters();
      assert.equal(dead?.attempts, 1);
      assert.match(dead?.error ?? '', /no/);
    }),
  );

  test(
    `a last attempt is not started until it is counted (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, spy, startWorker }) => {
      queue.publish('g', 'g');
      spy.fail(['countAttempt']);
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle, { maxAttempts: 1 });
      await nextEvent(worker, 'transport-error');
      assert.deepEqual(handler.started, []);
      spy.recover();
      clock.advance(100);
      await handler.untilStarted('g');
    }),
  );

  test(
    `a last attempt that cannot be counted does not hold up others (${kind} transport)`,
    withTransport(kind, async ({ queue, spy, startWorker }) => {
      for (const group of ['broken', 'other']) queue.publish(group, group);
      spy.failGroup('broken', new Error('This row cannot be written.'));
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle, { maxAttempts: 1, concurrency: 1 });
      const errors = recordEvents(worker, 'message-error', 'transport-error');
      await handler.untilStarted('other');
      assert.deepEqual([handler.started, errors], [['other'], ['message-error broken']]);
    }),
  );

  test(
    `a last attempt that waits too long for a slot is released (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, startWorker }) => {
      for (let n = 0; n < 3; n++) queue.publish(`quick ${n}`, 'quick');
      for (const group of ['long', 'late']) queue.publish(group, group);
      const handler = new ControlledHandler();
      handler.finish('quick');
      const worker = startWorker(handler.handle, { maxAttempts: 1, concurrency: 1, visibilityMs: 60_000 });
      await handler.untilStarted('long');
      // Quick handlers made the worker claim ahead.
      assert.equal(worker.snapshot().waiting, 1);
      const released = nextEvent(worker, 'released');
      clock.advance(1000);
      await released;
      assert.equal(queue.claim('x', 1000)?.attempt, 1);
    }),
  );
}

test(
  'a slot is kept for a last attempt while its count is on its way',
  withTransport('asynchronous', async ({ queue, spy, startWorker }) => {
    for (const group of ['last', 'third', 'fourth']) queue.publish(group, group);
    failOnce(queue, ['last']);
    for (let n = 0; n < 4; n++) queue.publish(`quick ${n}`, 'quick');
    queue.publish('long', 'long');
    const handler = new ControlledHandler();
    handler.finish('quick');
    const answer = spy.holdAnswers(['countAttempt']);
    const counted = spy.untilCommitted('countAttempt');
    const worker = startWorker(handler.handle, { maxAttempts: 2, concurrency: 2 });
    await handler.untilStarted('long');
    await counted;
    assert.equal(worker.snapshot().waiting, 3);
    handler.finish('long');
    await handler.untilStarted('third');
    await new Promise(setImmediate);
    assert.deepEqual(handler.running, ['third']);
    answer();
    await handler.untilStarted('last');
    assert.deepEqual(handler.running, ['third', 'last']);
  }),
);

test(
  'a last attempt that is released while its count is on its way loses nothing',
  withTransport('asynchronous', async ({ queue, spy, startWorker }) => {
    queue.publish('g', 'g');
    const answer = spy.holdAnswers(['countAttempt']);
    const handler = new ControlledHandler();
    const counted = spy.untilCommitted('countAttempt');
    const worker = startWorker(handler.handle, { maxAttempts: 1 });
    await counted;
    worker.pause();
    answer();
    await nextEvent(worker, 'released');
    await untilIdle(worker);
    assert.deepEqual(handler.started, []);
    assert.equal(queue.claim('x', 1000)?.attempt, 1);
  }),
);
