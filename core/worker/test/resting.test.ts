import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControlledHandler } from './support/controlled-handler.ts';
import { nextEvent, untilIdle } from './support/signals.ts';
import { bothTransports, withQueue, withTransport } from './support/worker-bench.ts';

for (const kind of bothTransports) {
  test(
    `a publish in the same process wakes an idle worker, which has no timer (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, startWorker }) => {
      const worker = startWorker(async () => {});
      await untilIdle(worker);
      assert.equal(clock.timers, 0);
      queue.publish('g', 1);
      await nextEvent(worker, 'completed');
    }),
  );

  test(
    `an idle worker wakes when the earliest park has ended (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, startWorker }) => {
      queue.publish('g', 1);
      const lease = queue.claim('x', 1000);
      assert.ok(lease);
      queue.nack(lease, 5000);
      const worker = startWorker(async () => {});
      await untilIdle(worker);
      assert.equal(clock.nextTimerIn, 5001, 'a lock is still held at exactly its expiry');
      assert.equal(clock.timers, 1);
      clock.advance(5001);
      await nextEvent(worker, 'completed');
    }),
  );

  test(
    `when another claimer in the same process acks, the worker claims the next message of the group (${kind} transport)`,
    withTransport(kind, async ({ queue, startWorker }) => {
      queue.publish('g', 1);
      queue.publish('g', 2);
      const lease = queue.claim('another claimer', 60_000);
      assert.ok(lease);
      const worker = startWorker(async () => {});
      await untilIdle(worker);
      queue.ack(lease);
      assert.equal((await nextEvent(worker, 'completed')).seq, 2);
    }),
  );

  test(
    `a shorter park by another claimer in the same process makes the worker wake earlier (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, startWorker }) => {
      queue.publish('g', 1);
      const lease = queue.claim('another claimer', 60_000);
      assert.ok(lease);
      const worker = startWorker(async () => {});
      await untilIdle(worker);
      assert.equal(clock.nextTimerIn, 60_001);
      queue.nack(lease, 2000);
      assert.equal(clock.nextTimerIn, 2001);
      clock.advance(2001);
      await nextEvent(worker, 'completed');
    }),
  );
}

test(
  'a poll reads the data version once, and is followed by a claim only when another process has written',
  withQueue(async ({ clock, queue, spy, connect, startWorker }) => {
    const otherProcess = connect();
    const handler = new ControlledHandler();
    queue.publish('slow', 'slow');
    // The renewal of the running message makes the worker take a turn after each poll, in which it could claim.
    const worker = startWorker(handler.handle, { pollMs: 1000, visibilityMs: 2000 });
    await handler.untilStarted('slow');
    for (let poll = 0; poll < 3; poll++) {
      spy.calls.length = 0;
      const atRest = spy.untilAtRest();
      clock.advance(1000);
      await atRest;
      assert.deepEqual(spy.verbs, ['dataVersion', 'extend', 'nextExpiry']);
    }
    otherProcess.publish('g', 'from another process');
    clock.advance(1000);
    await handler.untilStarted('from another process');
    for (const event of handler.started) handler.finish(event);
    await untilIdle(worker);
    spy.calls.length = 0;
    clock.advance(3000);
    assert.deepEqual(spy.verbs, ['dataVersion', 'dataVersion', 'dataVersion']);
  }),
);

test(
  'with pollMs 0 an idle worker has no timer and does not call the transport',
  withQueue(async ({ clock, queue, spy, startWorker }) => {
    const worker = startWorker(async () => {}, { pollMs: 0 });
    await untilIdle(worker);
    assert.equal(clock.timers, 0);
    spy.calls.length = 0;
    clock.advance(3_600_000);
    assert.deepEqual(spy.verbs, []);
    queue.publish('g', 1);
    await nextEvent(worker, 'completed');
    assert.deepEqual(
      spy.verbs.filter((verb) => verb !== 'nextExpiry'),
      ['claimMany', 'ackAndClaimMany'],
    );
  }),
);
