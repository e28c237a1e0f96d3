import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControlledHandler } from './support/controlled-handler.ts';
import { nextEvent, recordEvents, untilIdle } from './support/signals.ts';
import { bothTransports, withQueue, withTransport } from './support/worker-bench.ts';

for (const kind of bothTransports) {
  test(
    `one timer renews all leases at half of their visibility (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, spy, connect, startWorker }) => {
      for (const event of ['a', 'b', 'c']) queue.publish(event, event);
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle, { concurrency: 3, visibilityMs: 8000 });
      await handler.untilStarted('a', 'b', 'c');
      const otherProcess = connect();
      for (let renewal = 0; renewal < 5; renewal++) {
        assert.deepEqual([clock.timers, clock.nextTimerIn], [1, 4000]);
        clock.advance(4000);
        await spy.untilAnswered('extend', 3);
        assert.equal(otherProcess.claim('x', 1000), null);
      }
      for (const event of ['a', 'b', 'c']) handler.finish(event);
      await untilIdle(worker);
      assert.equal(worker.snapshot().totals.completed, 3);
      assert.equal(worker.snapshot().totals.leaseLost, 0);
      assert.equal(clock.timers, 0);
    }),
  );

  test(
    `after the computer slept, running leases are renewed before anything is claimed (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, connect, startWorker }) => {
      queue.publish('g', 'slow');
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle, { visibilityMs: 10_000, concurrency: 4 });
      const events = recordEvents(worker, 'clock-jumped', 'started', 'lease-lost');
      await handler.untilStarted('slow');
      // Timers and the monotonic clock stand still while the wall clock goes on.
      clock.step(3_600_000);
      queue.publish('h', 'quick');
      await handler.untilStarted('quick');
      assert.deepEqual(handler.running, ['slow', 'quick'], 'the slow one is not handled a second time');
      assert.deepEqual(events, ['started g', 'clock-jumped', 'started h']);
      assert.equal(connect().claim('x', 1000), null);
      handler.finish('slow');
      handler.finish('quick');
      await untilIdle(worker);
      assert.equal(worker.snapshot().totals.completed, 2);
    }),
  );

  test(
    `wake() renews running leases and then claims (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, spy, connect, startWorker }) => {
      const otherProcess = connect();
      queue.publish('g', 'slow');
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle, { visibilityMs: 10_000 });
      const atRest = spy.untilAtRest();
      await handler.untilStarted('slow');
      await atRest;
      spy.calls.length = 0;
      otherProcess.publish('h', 'unseen');
      clock.step(900);
      worker.wake();
      await handler.untilStarted('unseen');
      assert.deepEqual(spy.verbs.slice(0, 2), ['extend', 'claimMany']);
      assert.ok((queue.nextExpiry() ?? 0) >= clock.now() + 10_000);
      handler.finish('slow');
      handler.finish('unseen');
      await untilIdle(worker);
    }),
  );
}

test(
  'while renewing fails, the worker does not claim the lapsed message of its own running handler',
  withQueue(async ({ clock, queue, spy, startWorker }) => {
    queue.publish('g', 'slow');
    const handler = new ControlledHandler();
    const worker = startWorker(handler.handle, { visibilityMs: 1000 });
    await handler.untilStarted('slow');
    spy.fail(['extend']);
    clock.advance(500);
    for (let failure = 0; failure < 8; failure++) {
      queue.publish('h', `later ${failure}`);
      const { retryAt } = await nextEvent(worker, 'transport-error');
      assert.deepEqual(handler.started, ['slow']);
      if (failure === 7) spy.recover();
      clock.advance((retryAt ?? 0) - clock.now());
    }
    await handler.untilStarted('later 0');
    assert.deepEqual(handler.started, ['slow', 'later 0']);
    handler.finish('slow');
    await nextEvent(worker, 'completed');
    assert.equal(worker.snapshot().totals.leaseLost, 0);
  }),
);

test(
  'a renewal that failed after the computer slept is repeated before anything is claimed',
  withQueue(async ({ clock, queue, spy, startWorker }) => {
    queue.publish('g', 'slow');
    const handler = new ControlledHandler();
    const worker = startWorker(handler.handle);
    await handler.untilStarted('slow');
    spy.fail(['extend']);
    clock.step(3_600_000);
    queue.publish('h', 'quick');
    await nextEvent(worker, 'transport-error');
    assert.deepEqual(handler.started, ['slow']);
    spy.recover();
    clock.advance(100);
    await handler.untilStarted('quick');
    assert.deepEqual(handler.running, ['slow', 'quick']);
    assert.equal(worker.snapshot().totals.leaseLost, 0);
    handler.finish('slow');
    handler.finish('quick');
    await untilIdle(worker);
  }),
);

for (const step of [-3_600_000, 3_600_000])
  test(
    `a renewal lasts for the visibility however the wall clock steps (${step} ms)`,
    withQueue(async ({ clock, queue, spy, startWorker }) => {
      queue.publish('g', 'slow');
      const handler = new ControlledHandler();
      startWorker(handler.handle, { visibilityMs: 30_000 });
      await handler.untilStarted('slow');
      clock.step(step);
      clock.advance(15_000);
      await spy.untilAnswered('extend');
      assert.equal(queue.nextExpiry(), clock.now() + 30_000);
      handler.finish('slow');
    }),
  );

test(
  "a renewal does not shorten a handler's own extend, measured by the monotonic clock",
  withQueue(async ({ clock, queue, spy, startWorker }) => {
    queue.publish('g', 1);
    startWorker(
      async (_message, { extend }) => {
        await extend(120_000);
        await new Promise(() => {});
      },
      { visibilityMs: 30_000 },
    );
    await spy.untilAnswered('extend');
    clock.step(-3_600_000);
    clock.advance(60_000);
    await spy.untilAnswered('extend');
    // A lock that was shortened after the step has a microsecond more.
    assert.equal(Math.floor(queue.nextExpiry() ?? 0), clock.now() + 60_000);
  }),
);
