/** A suspect, whose last lease ended without a settle, runs alone: it may be what ended its process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { attemptsAfterDeath } from './support/attempts-after-death.ts';
import { ControlledHandler, type Event } from './support/controlled-handler.ts';
import { nextEvent, recordEvents, untilEvents, untilIdle } from './support/signals.ts';
import { bothTransports, withQueue, withTransport } from './support/worker-bench.ts';

/** A process claims all groups ahead and dies, as often as given: no attempt is counted, and each message is a suspect. */
function crash(queue: SqliteTransport<Event>, times = 1): void {
  for (let time = 0; time < times; time++) {
    queue.claimMany('dead', 1000, 100, { startNow: 0 });
    queue.release(['dead']);
  }
}

for (const kind of bothTransports) {
  test(
    `a suspect runs alone, and its attempt is counted before its handler is called (${kind} transport)`,
    withTransport(kind, async ({ queue, connect, startWorker }) => {
      queue.publish('suspect', 'suspect');
      crash(queue);
      for (const event of ['a', 'b', 'c']) queue.publish(event, event);
      const handler = new ControlledHandler();
      const released = recordEvents(startWorker(handler.handle), 'released');
      await handler.untilStarted('suspect');
      queue.publish('later', 'later');
      await new Promise(setImmediate);
      assert.deepEqual(handler.running, ['suspect']);
      assert.deepEqual(released, ['released a', 'released b', 'released c']);
      // What it had claimed beside the suspect is free for others, and not counted.
      assert.deepEqual(attemptsAfterDeath(connect()), { suspect: 2, a: 1, b: 1, c: 1, later: 1 });
    }),
  );

  test(
    `when a suspect has ended, everything else is handled (${kind} transport)`,
    withTransport(kind, async ({ queue, startWorker }) => {
      queue.publish('suspect', 'suspect');
      crash(queue);
      for (let n = 0; n < 30; n++) queue.publish(`g${n}`, n);
      const order: Event[] = [];
      const worker = startWorker(({ event }) => {
        order.push(event);
      });
      await untilEvents(worker, 'completed', 31);
      assert.equal(order.length, 31);
    }),
  );

  test(
    `suspects that are claimed together run one after the other, and only the one that runs is counted (${kind} transport)`,
    withTransport(kind, async ({ queue, connect, startWorker }) => {
      for (const event of ['first', 'second', 'third']) queue.publish(event, event);
      crash(queue);
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle);
      await handler.untilStarted('first');
      assert.equal(worker.snapshot().waiting, 2);
      handler.finish('first');
      await handler.untilStarted('second');
      assert.deepEqual(handler.running, ['second']);
      assert.deepEqual(attemptsAfterDeath(connect()), { second: 2, third: 1 });
    }),
  );

  test(
    `a suspect that outlives its probation is not blamed any more, and others run beside it (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, spy, connect, startWorker }) => {
      queue.publish('suspect', 'suspect');
      crash(queue);
      const handler = new ControlledHandler();
      startWorker(handler.handle, { visibilityMs: 60_000 });
      await handler.untilStarted('suspect');
      queue.publish('other', 'other');
      clock.advance(9_999);
      assert.deepEqual(handler.running, ['suspect']);
      const uncounted = spy.untilAnswered('countAttempt');
      clock.advance(1);
      await uncounted;
      await handler.untilStarted('other');
      assert.deepEqual(handler.running, ['suspect', 'other']);
      // The other one has been started as well, and is counted.
      assert.deepEqual(attemptsAfterDeath(connect()), { suspect: 1, other: 2 });
    }),
  );
}

test(
  'a handler that ends its process late reaches its last attempt, since each probation is four times as long',
  withQueue(async ({ clock, queue, connect, startWorker }) => {
    const diesAfterMs = 15_000;
    queue.publish('slow killer', 'killer');
    let deaths = 0;
    for (let alive = true; alive; ) {
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle, { visibilityMs: 120_000, maxAttempts: 3 });
      const buried = nextEvent(worker, 'buried').then(() => false);
      alive = await Promise.race([buried, handler.untilStarted('killer').then(() => true)]);
      if (!alive) break;
      clock.advance(diesAfterMs);
      await new Promise(setImmediate);
      deaths++;
      const operator = connect();
      operator.release(operator.holders().holders.map(({ workerId }) => workerId));
      handler.finish('killer');
      await worker.stop();
      buried.catch(() => {});
    }
    // The first start is counted, and the second outlives its probation of 10 s; those after it do not.
    assert.equal(deaths, 4);
    const [dead] = queue.deadLetters();
    assert.equal(dead?.attempts, 3);
    assert.match(dead?.error ?? '', /Started 3 times/);
  }),
);

test(
  'a suspect waits 5 s for handlers that run, while nothing else is started and its lease is renewed',
  withQueue(async ({ clock, queue, startWorker }) => {
    queue.publish('long', 'long');
    const handler = new ControlledHandler();
    const worker = startWorker(handler.handle, { visibilityMs: 1000 });
    const events = recordEvents(worker, 'lease-lost', 'released');
    await handler.untilStarted('long');
    queue.publish('suspect', 'suspect');
    queue.claimMany('dead', 1000, 1, { startNow: 0 });
    queue.release(['dead']);
    queue.publish('fresh', 'fresh');
    await nextEvent(worker, 'released');
    for (let second = 0; second < 4; second++) {
      clock.advance(1000);
      await new Promise(setImmediate);
    }
    clock.advance(999);
    await new Promise(setImmediate);
    assert.deepEqual(handler.started, ['long']);
    clock.advance(1);
    await handler.untilStarted('suspect');
    assert.deepEqual(handler.running, ['long', 'suspect']);
    handler.finish('suspect');
    await handler.untilStarted('fresh');
    assert.deepEqual(events, ['released fresh']);
  }),
);

test(
  'a suspect for which no slot becomes free is released, and is not claimed again while the slots are full',
  withQueue(async ({ clock, queue, spy, startWorker }) => {
    for (let n = 0; n < 3; n++) queue.publish(`quick ${n}`, 'quick');
    queue.publish('long', 'long');
    queue.publish('suspect', 'suspect');
    const handler = new ControlledHandler();
    handler.finish('quick');
    const worker = startWorker(handler.handle, { concurrency: 1, visibilityMs: 60_000 });
    await handler.untilStarted('long');
    // Quick handlers made the worker claim ahead.
    assert.equal(worker.snapshot().waiting, 1);
    clock.advance(1000);
    await nextEvent(worker, 'released');
    crash(queue);
    spy.calls.length = 0;
    clock.advance(20_000);
    await new Promise(setImmediate);
    assert.deepEqual(spy.verbs, []);
    handler.finish('long');
    await handler.untilStarted('suspect');
  }),
);

test(
  'a suspect that is released while its count is on its way loses nothing',
  withTransport('asynchronous', async ({ queue, spy, startWorker }) => {
    queue.publish('suspect', 'suspect');
    crash(queue);
    const answer = spy.holdAnswers(['countAttempt']);
    const handler = new ControlledHandler();
    const worker = startWorker(handler.handle);
    await spy.untilCommitted('countAttempt');
    worker.pause();
    answer();
    await nextEvent(worker, 'released');
    await untilIdle(worker);
    assert.deepEqual(handler.started, []);
    assert.equal(queue.claim('x', 1000)?.attempt, 1);
  }),
);

for (const kind of bothTransports) {
  test(
    `a suspect is not started until its attempt is counted (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, spy, startWorker }) => {
      queue.publish('suspect', 'suspect');
      crash(queue);
      spy.fail(['countAttempt']);
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle);
      await nextEvent(worker, 'transport-error');
      assert.deepEqual(handler.started, []);
      spy.recover();
      clock.advance(100);
      await handler.untilStarted('suspect');
    }),
  );

  test(
    `a suspect whose attempt cannot be counted does not hold up others (${kind} transport)`,
    withTransport(kind, async ({ queue, spy, startWorker }) => {
      queue.publish('suspect', 'suspect');
      crash(queue);
      spy.failGroup('suspect', new Error('This row cannot be written.'));
      queue.publish('other', 'other');
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle);
      const errors = recordEvents(worker, 'message-error', 'transport-error');
      await handler.untilStarted('other');
      assert.deepEqual([handler.started, errors], [['other'], ['message-error suspect']]);
    }),
  );
}
