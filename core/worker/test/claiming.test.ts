import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControlledHandler } from './support/controlled-handler.ts';
import { recordEvents, untilEvents, untilIdle } from './support/signals.ts';
import { bothTransports, withQueue, withTransport } from './support/worker-bench.ts';

for (const kind of bothTransports) {
  test(
    `every message is handled once, in the order of its group, and acked (${kind} transport)`,
    withTransport(kind, async ({ queue, startWorker }) => {
      for (let n = 0; n < 60; n++) queue.publish(`g${n % 7}`, n);
      const handled: number[] = [];
      const worker = startWorker(async ({ event }) => void handled.push(event), { concurrency: 3 });
      await untilIdle(worker);
      const inOrder = (numbers: number[]) => numbers.toSorted((a, b) => a - b);
      assert.deepEqual(
        inOrder(handled),
        Array.from({ length: 60 }, (_, n) => n),
      );
      for (let group = 0; group < 7; group++) {
        const ofGroup = handled.filter((n) => n % 7 === group);
        assert.deepEqual(ofGroup, inOrder(ofGroup));
      }
      assert.equal(queue.claim('x', 1000), null);
      assert.equal(worker.snapshot().totals.completed, 60);
    }),
  );

  test(
    `groups are handled concurrently, and the messages of one group never are (${kind} transport)`,
    withTransport(kind, async ({ queue, startWorker }) => {
      for (const event of ['a1', 'a2', 'b1', 'c1', 'd1']) queue.publish(event.charAt(0), event);
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle, { concurrency: 3 });
      await handler.untilStarted('c1');
      assert.deepEqual(handler.running, ['a1', 'b1', 'c1']);
      handler.finish('b1');
      await handler.untilStarted('d1');
      assert.deepEqual(handler.running, ['a1', 'c1', 'd1']);
      handler.finish('a1');
      await handler.untilStarted('a2');
      assert.deepEqual(handler.running, ['c1', 'd1', 'a2']);
      for (const event of ['c1', 'd1', 'a2']) handler.finish(event);
      await untilIdle(worker);
      assert.equal(worker.snapshot().totals.completed, 5);
    }),
  );
}

test(
  'completed messages are acked in the transaction that claims the next ones',
  withQueue(async ({ queue, spy, startWorker }) => {
    for (let n = 0; n < 8; n++) queue.publish(`g${n % 2}`, n);
    const worker = startWorker(async () => {}, { concurrency: 2 });
    await untilIdle(worker);
    const settledAndClaimed = spy.calls
      .filter(({ verb }) => /^(ack|claim)/.test(verb))
      .map(({ verb, args: [leases] }) => (Array.isArray(leases) ? `${verb} ${leases.length}` : verb));
    assert.deepEqual(settledAndClaimed, ['claimMany', ...Array(4).fill('ackAndClaimMany 2')]);
  }),
);

test(
  'free slots that one claim did not fill are filled by the next',
  withQueue(async ({ queue, startWorker }) => {
    for (let n = 0; n < 150; n++) queue.publish(`g${n}`, n);
    const handler = new ControlledHandler();
    const worker = startWorker(handler.handle, { concurrency: 140 });
    await untilEvents(worker, 'started', 140);
    assert.equal(handler.running.length, 140);
    for (let n = 0; n < 150; n++) handler.finish(n);
    await untilIdle(worker);
    assert.equal(handler.started.length, 150);
  }),
);

test(
  'the event loop runs between handlers that block the thread',
  withQueue(async ({ clock, queue, startWorker }) => {
    for (let n = 0; n < 8; n++) queue.publish(`g${n}`, n);
    let inThisRound = 0;
    let most = 0;
    // The worker calls handlers for three ms at a time, and each of these takes two.
    const worker = startWorker(
      () => {
        inThisRound++;
        most = Math.max(most, inThisRound);
        clock.advance(2);
      },
      { concurrency: 8 },
    );
    // Not a wait: it counts the rounds of the event loop that the handlers leave it.
    const countRound = () => {
      inThisRound = 0;
      if (worker.state !== 'stopped') setImmediate(countRound);
    };
    setImmediate(countRound);
    const completed = recordEvents(worker, 'completed');
    await untilIdle(worker);
    assert.equal(completed.length, 8);
    assert.equal(most, 2);
  }),
);
