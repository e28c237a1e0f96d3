import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaseLost } from '../../contract/errors.ts';
import { Park } from '../index.ts';
import { ControlledHandler } from './support/controlled-handler.ts';
import { nextEvent, recordEvents, untilIdle, waitFor } from './support/signals.ts';
import { bothTransports, withQueue, withTransport } from './support/worker-bench.ts';

for (const kind of bothTransports) {
  test(
    `a lost lease fires the signal with LeaseLost, is reported once, and the result is dropped (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, startWorker, takeLeasesAway }) => {
      queue.publish('g', 1);
      const end = Promise.withResolvers<void>();
      let signal: AbortSignal | undefined;
      const warnings: string[] = [];
      const worker = startWorker(
        async (_message, context) => {
          signal = context.signal;
          await end.promise;
        },
        {
          visibilityMs: 2000,
          logger: { debug() {}, info() {}, error() {}, warn: (_facts, text) => void warnings.push(text) },
        },
      );
      const events = recordEvents(worker, 'lease-lost', 'completed', 'failed', 'released');
      await nextEvent(worker, 'started');
      takeLeasesAway();
      clock.advance(1000);
      await nextEvent(worker, 'lease-lost');
      assert.ok(signal?.aborted);
      assert.ok(signal.reason instanceof LeaseLost);
      // The worker has claimed the message again, and postpones it because the first handler still runs.
      await nextEvent(worker, 'parked');
      end.resolve();
      await untilIdle(worker);
      assert.deepEqual(events, ['lease-lost g']);
      assert.equal(warnings.length, 1);
      assert.equal(worker.snapshot().totals.leaseLost, 1);
    }),
  );

  test(
    `a group whose handler lost its lease is not handled until that handler has ended (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, startWorker, takeLeasesAway }) => {
      queue.publish('g', 'first');
      queue.publish('g', 'second');
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle, { visibilityMs: 2000, abortGraceMs: 5000 });
      await handler.untilStarted('first');
      const otherProcess = takeLeasesAway();
      const lease = otherProcess.claim('other process', 60_000);
      assert.ok(lease);
      clock.advance(1000);
      await nextEvent(worker, 'lease-lost');
      otherProcess.ack(lease);
      worker.wake();
      await nextEvent(worker, 'parked');
      assert.deepEqual([handler.running, handler.started], [['first'], ['first']]);
      handler.finish('first');
      await untilIdle(worker);
      clock.advance(5001);
      await handler.untilStarted('second');
      assert.deepEqual([handler.running, handler.started], [['second'], ['first', 'second']]);
      handler.finish('second');
      await untilIdle(worker);
    }),
  );

  for (const result of ['completes', 'fails'] as const)
    test(
      `a handler that ${result} after another process took its message has no effect (${kind} transport)`,
      withTransport(kind, async ({ queue, startWorker, takeLeasesAway }) => {
        queue.publish('g', 1);
        const worker = startWorker(() => {
          takeLeasesAway().claim('other process', 60_000);
          if (result === 'fails') throw new Error('no');
        });
        const events = recordEvents(worker, 'lease-lost', 'completed', 'failed', 'transport-error');
        await untilIdle(worker);
        assert.deepEqual(events, ['lease-lost g']);
        assert.deepEqual(queue.holders().holders, [{ workerId: 'other process', leases: 1 }]);
      }),
    );
}

test(
  'a lease that is lost after the handler exceeded its timeout is reported once, and the result is dropped',
  withQueue(async ({ clock, queue, startWorker, takeLeasesAway }) => {
    queue.publish('g', 1);
    const end = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const worker = startWorker(
      (_message, { signal }) => {
        signal.addEventListener('abort', () => aborted.resolve());
        return end.promise;
      },
      { timeoutMs: 1000, abortGraceMs: 60_000, visibilityMs: 4000 },
    );
    const events = recordEvents(worker, 'lease-lost', 'failed', 'abandoned', 'transport-error');
    await nextEvent(worker, 'started');
    clock.advance(1000);
    await waitFor('the timeout to fire the signal', aborted.promise);
    assert.ok(takeLeasesAway().claim('other process', 60_000));
    clock.advance(1000);
    await nextEvent(worker, 'lease-lost');
    end.resolve();
    await untilIdle(worker);
    assert.deepEqual(events, ['lease-lost g']);
  }),
);

test(
  'the result of a handler that blocked the thread is dropped when another process took the message',
  withQueue(async ({ clock, queue, connect, startWorker }) => {
    queue.publish('g', 1);
    const otherProcess = connect();
    let taken = 0;
    const worker = startWorker(
      () => {
        // The thread is blocked, so no timer of the worker gets a turn.
        clock.advance(1001);
        taken = otherProcess.claim('other process', 60_000)?.seq ?? 0;
      },
      { visibilityMs: 1000 },
    );
    const events = recordEvents(worker, 'lease-lost', 'completed', 'failed');
    await untilIdle(worker);
    assert.equal(taken, 1);
    assert.deepEqual(events, ['lease-lost g']);
    assert.equal(queue.holders().holders[0]?.workerId, 'other process');
  }),
);

test(
  'a handler that blocked the thread past its lease is acked when nobody took the message',
  withQueue(async ({ clock, queue, startWorker }) => {
    queue.publish('g', 1);
    const worker = startWorker(() => clock.advance(5000), { visibilityMs: 1000 });
    await untilIdle(worker);
    assert.equal(worker.snapshot().totals.completed, 1);
    assert.equal(queue.claim('x', 1), null);
  }),
);

test(
  'a message whose lapsed lease the worker itself claims again is parked while its first handler runs',
  withQueue(async ({ queue, startWorker }) => {
    queue.publish('g', 1);
    const handler = new ControlledHandler();
    const worker = startWorker(handler.handle, { concurrency: 3, releaseDeadWorkers: false });
    const events = recordEvents(worker, 'lease-lost', 'parked');
    await handler.untilStarted(1);
    queue.release([worker.id]);
    const parked = nextEvent(worker, 'parked');
    // The next claim comes before the renewal that would have noticed the loss.
    queue.publish('h', 2);
    await handler.untilStarted(2);
    await parked;
    assert.deepEqual(
      [events, handler.started],
      [
        ['lease-lost g', 'parked g'],
        [1, 2],
      ],
    );
    handler.finish(1);
    handler.finish(2);
  }),
);

for (const how of ['is renewed', 'parks'] as const)
  test(
    `a message released through the worker's own transport is claimed again once its first lease ${how}`,
    withQueue(async ({ clock, queue, startWorker }) => {
      queue.publish('g', 1);
      const first = Promise.withResolvers<unknown>();
      let executions = 0;
      const worker = startWorker(async () => (++executions === 1 ? first.promise : undefined), {
        visibilityMs: 10_000,
        abortGraceMs: 1000,
        releaseDeadWorkers: false,
      });
      await nextEvent(worker, 'started');
      queue.release([worker.id]);
      if (how === 'parks') first.resolve(new Park({ delayMs: 10 }));
      else {
        clock.advance(5000);
        // The handler that lost the lease still runs, so the worker postpones its group.
        await nextEvent(worker, 'parked');
        first.resolve(undefined);
        await untilIdle(worker);
        clock.advance(1001);
      }
      await nextEvent(worker, 'completed');
      assert.equal(executions, 2);
      assert.deepEqual(queue.holders().holders, []);
    }),
  );

test(
  'an extend that waits for another extend rejects when the lease is lost and the handler is abandoned meanwhile',
  withTransport('asynchronous', async ({ clock, queue, spy, startWorker, takeLeasesAway }) => {
    queue.publish('g', 1);
    let extended: Promise<PromiseSettledResult<void>[]> | undefined;
    const worker = startWorker(
      ({ event }, { extend }) => {
        if (event !== 1) return;
        extended = Promise.allSettled([extend(), extend()]);
        return new Promise(() => {});
      },
      { concurrency: 3, releaseDeadWorkers: false },
    );
    const answerExtends = spy.holdAnswers(['extend']);
    await spy.untilCommitted('extend');
    takeLeasesAway();
    const lost = nextEvent(worker, 'lease-lost');
    // The worker claims the first message again together with this one.
    queue.publish('h', 2);
    await lost;
    clock.advance(1000);
    await nextEvent(worker, 'abandoned');
    answerExtends();
    const results = await waitFor('both extends to settle', extended as NonNullable<typeof extended>);
    const second = results[1];
    assert.ok(second?.status === 'rejected' && second.reason instanceof LeaseLost);
  }),
);
