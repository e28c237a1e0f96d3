import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextEvent, recordEvents, untilIdle, waitFor } from './support/signals.ts';
import { withQueue } from './support/worker-bench.ts';

const backoff = { initialMs: 1000, jitter: 0 };

test(
  'after timeoutMs the signal fires and the attempt fails, even when the handler then returns',
  withQueue(async ({ clock, queue, startWorker }) => {
    queue.publish('g', 1);
    const worker = startWorker(
      (_message, { signal }) =>
        new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
      { backoff, timeoutMs: 5000 },
    );
    await nextEvent(worker, 'started');
    clock.advance(5000);
    const { error } = await nextEvent(worker, 'failed');
    assert.equal((error as Error).name, 'TimeoutError');
    assert.match((error as Error).message, /longer than 5000 ms/);
    await worker.stop();
    clock.advance(1001);
    assert.match(queue.claim('x', 1000)?.lastError ?? '', /^TimeoutError: The handler took longer/);
  }),
);

test(
  'a handler that ignores its signal is abandoned after the grace, tried again, and its late result is dropped',
  withQueue(async ({ clock, queue, startWorker }) => {
    queue.publish('g', 1);
    const first = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const worker = startWorker(
      async (_message, { attempt, signal }) => {
        if (attempt > 1) return;
        signal.addEventListener('abort', () => aborted.resolve());
        await first.promise;
      },
      { backoff, timeoutMs: 5000, abortGraceMs: 300, concurrency: 1 },
    );
    const events = recordEvents(worker, 'abandoned', 'failed', 'completed', 'settled-late');
    await nextEvent(worker, 'started');
    clock.advance(5000);
    await waitFor('the signal to fire', aborted.promise);
    assert.deepEqual(events, []);
    clock.advance(300);
    await nextEvent(worker, 'failed');
    assert.deepEqual(events, ['abandoned g', 'failed g']);
    clock.advance(1001);
    await nextEvent(worker, 'completed');
    assert.deepEqual(events, ['abandoned g', 'failed g', 'completed g']);
    first.resolve();
    await nextEvent(worker, 'settled-late');
    await untilIdle(worker);
    assert.deepEqual(events, ['abandoned g', 'failed g', 'completed g', 'settled-late g']);
    assert.equal(queue.claim('x', 1000), null);
  }),
);

test(
  'a handler that never settles keeps its lease and its slot while other groups continue',
  withQueue(async ({ clock, queue, connect, startWorker }) => {
    queue.publish('stuck', 1);
    const otherProcess = connect();
    const worker = startWorker(({ groupId }) => (groupId === 'stuck' ? new Promise(() => {}) : undefined), {
      concurrency: 2,
      visibilityMs: 1000,
    });
    await nextEvent(worker, 'started');
    for (let n = 0; n < 20; n++) {
      queue.publish('other', n);
      clock.advance(700);
      await nextEvent(worker, 'completed');
      assert.equal(otherProcess.claim('x', 1000), null);
    }
    assert.equal(worker.snapshot().totals.completed, 20);
    assert.equal(worker.snapshot().running.length, 1);
    assert.deepEqual(await worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 }), { released: 1, abandoned: 1 });
    assert.equal(otherProcess.claim('x', 1000)?.attempt, 1, 'released without counting the attempt');
  }),
);

test(
  'time limits and graces hold while the worker waits to use a failed transport again',
  withQueue(async ({ clock, queue, spy, startWorker }) => {
    queue.publish('g', 1);
    const worker = startWorker(() => new Promise(() => {}), { timeoutMs: 150, abortGraceMs: 20, backoff });
    const events = recordEvents(worker, 'abandoned');
    await nextEvent(worker, 'started');
    spy.fail(['claimMany', 'ackAndClaimMany', 'nack']);
    queue.publish('h', 2);
    await nextEvent(worker, 'transport-error');
    clock.advance(100);
    await nextEvent(worker, 'transport-error');
    spy.calls.length = 0;
    const abandoned = nextEvent(worker, 'abandoned');
    clock.advance(50);
    await new Promise(setImmediate);
    assert.equal(worker.snapshot().running[0]?.aborted, true);
    clock.advance(20);
    await abandoned;
    assert.deepEqual([spy.verbs, events], [[], ['abandoned g']]);
  }),
);
