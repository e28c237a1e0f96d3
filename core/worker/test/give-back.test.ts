/** A worker that is stopped at once has given everything back when stop() returns: the process may end right after. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaseholdError } from '../../contract/errors.ts';
import type { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { ControlledHandler, type Event } from './support/controlled-handler.ts';
import { nextEvent, recordEvents, untilIdle, waitFor } from './support/signals.ts';
import { bothTransports, withQueue, withTransport } from './support/worker-bench.ts';

const atOnce = { stopTimeoutMs: 0, abortGraceMs: 0 };

/** What another process can claim now, as group and attempt. */
function claimable(queue: SqliteTransport<Event>): string[] {
  return queue.claimMany('other', 1000, 100).map(({ groupId, attempt }) => `${groupId} ${attempt}`);
}

test(
  'what a claim on its way takes is given back',
  withTransport('asynchronous', async ({ queue, spy, connect, startWorker }) => {
    const handler = new ControlledHandler();
    const worker = startWorker(handler.handle);
    await untilIdle(worker);
    const events = recordEvents(worker, 'started', 'lease-lost', 'transport-error');
    for (const event of ['a', 'b']) queue.publish(event, event);
    await spy.untilCalled('claimMany');
    const stopped = worker.stop(atOnce);
    assert.deepEqual(claimable(connect()), ['a 1', 'b 1']);
    await waitFor('stop() to end', stopped);
    assert.deepEqual(events, []);
  }),
);

for (const held of ['before', 'after'] as const)
  test(
    `what has completed is acked once, and the rest is given back, when stop comes ${held} the commit of the acks`,
    withTransport('asynchronous', async ({ queue, spy, connect, startWorker }) => {
      for (const event of ['quick', 'long']) queue.publish(event, event);
      queue.publish('quick', 'next');
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle);
      const events = recordEvents(worker, 'completed', 'released', 'lease-lost', 'transport-error');
      await handler.untilStarted('quick', 'long');
      const answer = spy.holdAnswers(['ackAndClaimMany']);
      const reached =
        held === 'before' ? spy.untilCalled('ackAndClaimMany') : spy.untilCommitted('ackAndClaimMany');
      handler.finish('quick');
      await reached;
      const stopped = worker.stop(atOnce);
      const other = connect();
      assert.deepEqual(
        other.claimMany('other', 1000, 100).map(({ event, attempt }) => `${event} ${attempt}`),
        ['long 1', 'next 1'],
      );
      answer();
      assert.deepEqual(await waitFor('stop() to end', stopped), { released: 1, abandoned: 1 });
      assert.deepEqual(events.sort(), ['completed quick', 'released long']);
    }),
  );

test(
  'outcomes that have not been sent yet are committed',
  withTransport('asynchronous', async ({ queue, spy, connect, startWorker }) => {
    for (const event of ['first', 'acked', 'failed', 'long']) queue.publish(event, event);
    const handler = new ControlledHandler();
    const worker = startWorker(
      async (message, context) => {
        await handler.handle(message, context);
        if (message.event === 'failed') throw new Error('no');
      },
      { backoff: () => 0 },
    );
    await handler.untilStarted('first', 'acked', 'failed', 'long');
    const answer = spy.holdAnswers(['ackAndClaimMany']);
    handler.finish('first');
    await spy.untilCommitted('ackAndClaimMany');
    // The turn waits for its answer.
    handler.finish('acked');
    handler.finish('failed');
    await new Promise(setImmediate);
    const stopped = worker.stop(atOnce);
    assert.deepEqual(claimable(connect()).sort(), ['failed 2', 'long 1']);
    answer();
    await waitFor('stop() to end', stopped);
    assert.deepEqual(worker.snapshot().totals, {
      completed: 2,
      failed: 1,
      parked: 0,
      buried: 0,
      leaseLost: 0,
    });
  }),
);

test(
  'a message whose lease is being extended is given back',
  withTransport('asynchronous', async ({ clock, queue, spy, connect, startWorker }) => {
    queue.publish('g', 1);
    const handler = new ControlledHandler();
    const worker = startWorker(handler.handle, { visibilityMs: 1000 });
    const events = recordEvents(worker, 'lease-lost', 'transport-error', 'released');
    await handler.untilStarted(1);
    const answer = spy.holdAnswers(['extend']);
    const extended = spy.untilCommitted('extend');
    clock.advance(500);
    await extended;
    const stopped = worker.stop(atOnce);
    assert.deepEqual(claimable(connect()), ['g 1']);
    answer();
    assert.deepEqual(await waitFor('stop() to end', stopped), { released: 1, abandoned: 1 });
    assert.deepEqual(events, ['released g']);
  }),
);

test(
  'a suspect whose attempt is counted is given back without it',
  withTransport('asynchronous', async ({ queue, connect, startWorker }) => {
    queue.publish('g', 1);
    queue.claimMany('dead', 1000, 1, { startNow: 0 });
    queue.release(['dead']);
    const handler = new ControlledHandler();
    const worker = startWorker(handler.handle);
    await handler.untilStarted(1);
    void worker.stop(atOnce);
    assert.deepEqual(claimable(connect()), ['g 1']);
  }),
);

for (const kind of bothTransports)
  test(
    `a handler that stops its worker in the middle of a turn finds everything given back (${kind} transport)`,
    withTransport(kind, async ({ queue, connect, startWorker }) => {
      for (let n = 0; n < 4; n++) queue.publish(`g${n}`, n);
      const other = connect();
      const seen = Promise.withResolvers<string[]>();
      const worker = startWorker(({ event }) => {
        if (event !== 1) return new Promise(() => {});
        void worker.stop(atOnce);
        seen.resolve(claimable(other));
        return undefined;
      });
      assert.deepEqual(await seen.promise, ['g0 1', 'g1 1', 'g2 1', 'g3 1']);
      await waitFor('the worker to stop', worker.stop());
    }),
  );

test(
  'when a release at once fails, the turns give everything back',
  withTransport('asynchronous', async ({ queue, spy, connect, startWorker }) => {
    queue.publish('g', 1);
    const errors: string[] = [];
    const error = (facts: object) => void errors.push((facts as { err: Error }).err.message);
    const worker = startWorker(() => new Promise(() => {}), {
      logger: { debug() {}, info() {}, warn() {}, error },
    });
    await nextEvent(worker, 'started');
    spy.transport.releaseNow = () => {
      throw new LeaseholdError('BUSY', 'no answer');
    };
    assert.deepEqual(await waitFor('stop() to end', worker.stop(atOnce)), { released: 1, abandoned: 1 });
    assert.deepEqual(claimable(connect()), ['g 1']);
    assert.deepEqual(errors, ['no answer']);
  }),
);

test(
  'what was claimed ahead is not counted, and what was started is',
  withQueue(async ({ queue, takeLeasesAway, startWorker }) => {
    for (let n = 0; n < 20; n++) queue.publish(`g${n}`, n);
    const handler = new ControlledHandler();
    const worker = startWorker(
      async (message, context) => {
        if (message.event > 2) await handler.handle(message, context);
      },
      { concurrency: 2 },
    );
    await handler.untilStarted(3, 4);
    assert.ok(worker.snapshot().waiting > 5);
    const attempts = claimable(takeLeasesAway());
    // Those after 4 were never started; the one that was, 4 itself, may have been claimed ahead as well.
    for (let n = 5; n < 20; n++) assert.ok(attempts.includes(`g${n} 1`));
    assert.ok(attempts.includes('g3 2'));
  }),
);
