/** What happens while a call of an asynchronous transport is pending must not be lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextEvent, recordEvents, untilIdle, waitFor } from './support/signals.ts';
import { withTransport } from './support/worker-bench.ts';

test(
  'a handler is abandoned when the grace of a stop ends while a transport call is pending',
  withTransport('asynchronous', async ({ clock, queue, spy, startWorker }) => {
    queue.publish('deaf', 'deaf');
    queue.publish('quick', 'quick');
    const quick = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const worker = startWorker(
      async ({ event }, { signal }) => {
        if (event === 'quick') return quick.promise;
        signal.addEventListener('abort', () => aborted.resolve());
        return new Promise(() => {});
      },
      { concurrency: 2, visibilityMs: 10_000 },
    );
    await nextEvent(worker, 'started', ({ groupId }) => groupId === 'quick');
    const stopped = worker.stop({ stopTimeoutMs: 1000, abortGraceMs: 1000 });
    clock.advance(1000);
    await waitFor('the signal to fire', aborted.promise);
    clock.advance(999);
    const answer = spy.holdAnswers(['ackAndClaimMany', 'nack']);
    quick.resolve();
    await spy.untilCommitted('nack');
    clock.advance(1);
    answer();
    assert.deepEqual(await waitFor('stop() to end', stopped), { released: 2, abandoned: 1 });
  }),
);

test(
  'a timeout that falls due while a transport call is pending fires the signal',
  withTransport('asynchronous', async ({ clock, queue, spy, startWorker }) => {
    queue.publish('slow', 'slow');
    queue.publish('quick', 'quick');
    const quick = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<unknown>();
    const worker = startWorker(
      async ({ event }, { signal }) => {
        if (event === 'quick') return quick.promise;
        signal.addEventListener('abort', () => aborted.resolve(signal.reason.name));
        return new Promise(() => {});
      },
      { concurrency: 2, visibilityMs: 10_000, timeoutMs: 4000 },
    );
    await nextEvent(worker, 'started', ({ groupId }) => groupId === 'quick');
    clock.advance(3999);
    const answer = spy.holdAnswers(['ackAndClaimMany', 'nack']);
    quick.resolve();
    await spy.untilCommitted('ackAndClaimMany');
    clock.advance(1);
    answer();
    assert.equal(await waitFor('the signal to fire', aborted.promise), 'TimeoutError');
  }),
);

test(
  'handlers are called however long each answer of the transport takes',
  withTransport('asynchronous', async ({ clock, queue, spy, startWorker }) => {
    queue.publish('g', 'first');
    spy.beforeCall = (verb) => {
      // Longer than the time for which the worker calls handlers at a stretch.
      clock.advance(5);
      // There is always something to claim.
      if (/claim/i.test(verb)) queue.publish('g', 'more');
    };
    const worker = startWorker(async () => {}, { visibilityMs: 60_000 });
    await nextEvent(worker, 'started');
    await nextEvent(worker, 'completed');
    worker.pause();
    await untilIdle(worker);
    assert.equal(worker.state, 'paused');
  }),
);

for (const verb of ['claimMany', 'nextExpiry'] as const)
  test(
    `a publish between the commit of ${verb} and its answer is noticed`,
    withTransport('asynchronous', async ({ queue, spy, startWorker }) => {
      const answer = spy.holdAnswers([verb]);
      const worker = startWorker(() => {});
      await spy.untilCommitted(verb);
      queue.publish('g', 1);
      answer();
      assert.equal((await nextEvent(worker, 'completed')).seq, 1);
    }),
  );

test(
  'a park between the commit of nextExpiry and its answer decides when the worker wakes',
  withTransport('asynchronous', async ({ clock, queue, spy, startWorker }) => {
    queue.publish('g', 1);
    const lease = queue.claim('another claimer', 60_000);
    assert.ok(lease);
    const answer = spy.holdAnswers(['nextExpiry']);
    const worker = startWorker(() => {});
    await spy.untilCommitted('nextExpiry');
    queue.nack(lease, 2000);
    const atRest = spy.untilAtRest();
    answer();
    await atRest;
    assert.equal(clock.nextTimerIn, 2001);
    clock.advance(2001);
    await nextEvent(worker, 'completed');
  }),
);

for (const change of ['pauses', 'changes its priority floor'] as const)
  test(
    `messages of a claim that was pending when the worker ${change} are released and not handled`,
    withTransport('asynchronous', async ({ queue, spy, startWorker }) => {
      const worker = startWorker(() => {});
      const events = recordEvents(worker, 'started', 'released');
      await untilIdle(worker);
      queue.publish('g', 1);
      await spy.untilCalled('claimMany');
      if (change === 'pauses') worker.pause();
      else worker.minPriority = 4;
      await nextEvent(worker, 'released');
      await untilIdle(worker);
      assert.deepEqual(events, ['released g']);
      assert.equal(queue.claim('x', 1000)?.attempt, 1);
    }),
  );

for (const outcome of ['completed', 'failed'] as const)
  test(
    `a message that ${outcome} while its extend is pending is settled under the new lease, after the extend`,
    withTransport('asynchronous', async ({ queue, spy, startWorker }) => {
      queue.publish('extended', 1);
      const answer = spy.holdAnswers(['extend']);
      const worker = startWorker(({ groupId }, { extend }) => {
        if (groupId !== 'extended') return;
        void extend(60_000);
        if (outcome === 'failed') throw new Error('no');
      });
      const events = recordEvents(worker, 'completed', 'failed', 'lease-lost', 'transport-error');
      await spy.untilCommitted('extend');
      // Another message makes the worker take turns, in which it could settle the first one too early.
      queue.publish('other', 2);
      await nextEvent(worker, 'completed');
      assert.deepEqual(events, ['completed other']);
      answer();
      await nextEvent(worker, outcome);
      assert.deepEqual(events, ['completed other', `${outcome} extended`]);
    }),
  );
