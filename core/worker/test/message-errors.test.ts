/** An error of the transport that concerns one message must not stop the others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaseholdError } from '../../contract/errors.ts';
import { Bury, type Handler, Park } from '../index.ts';
import { ControlledHandler, type Event } from './support/controlled-handler.ts';
import { nextEvent, recordEvents, untilEvents, untilIdle } from './support/signals.ts';
import type { Verb } from './support/transport-spy.ts';
import { bothTransports, withQueue, withTransport } from './support/worker-bench.ts';

const DAMAGED = new Error('This row cannot be written.');

/** How the message of the group 'bad' ends, and the verb that settles it; all others are completed. */
const outcomes: readonly ['completed' | 'failed' | 'buried' | 'parked', Verb, Handler<Event>][] = [
  ['completed', 'ack', () => {}],
  ['failed', 'nack', throwFor(new Error('no'))],
  ['buried', 'bury', throwFor(new Bury('never'))],
  ['parked', 'nack', throwFor(new Park({ delayMs: 1000 }))],
];

function throwFor(error: Error): Handler<Event> {
  return ({ groupId }) => {
    if (groupId === 'bad') throw error;
  };
}

for (const kind of bothTransports) {
  for (const [outcome, verb, handler] of outcomes)
    test(
      `a message whose outcome '${outcome}' cannot be committed is told once and tried again, and all others are handled (${kind} transport)`,
      withTransport(kind, async ({ clock, queue, spy, startWorker }) => {
        queue.publish('bad', 'bad');
        for (let n = 0; n < 20; n++) queue.publish(`other ${n}`, n);
        spy.failGroup('bad', DAMAGED);
        const worker = startWorker(handler);
        const errors = recordEvents(worker, 'message-error', 'transport-error', 'lease-lost');
        const completed: number[] = [];
        worker.on('completed', ({ seq }) => completed.push(seq));
        await Promise.all([untilEvents(worker, 'completed', 20), nextEvent(worker, 'message-error')]);
        for (const ms of [100, 200, 400]) {
          const tried = spy.untilAnswered(verb);
          clock.advance(ms);
          await tried;
        }
        assert.deepEqual(errors, ['message-error bad']);
        spy.recover();
        const settled = nextEvent(worker, outcome);
        clock.advance(800);
        assert.equal((await settled).groupId, 'bad');
        assert.deepEqual(errors, ['message-error bad']);
        assert.equal(new Set(completed).size, completed.length, 'nothing is acked twice');
        const left = queue.nextExpiry();
        assert.equal(left === null, outcome === 'completed' || outcome === 'buried');
      }),
    );
}

test(
  'messages that cannot be settled do not take the places of others',
  withQueue(async ({ queue, spy, startWorker }) => {
    for (const group of ['bad 1', 'bad 2', 'bad 3']) {
      queue.publish(group, 0);
      spy.failGroup(group, DAMAGED);
    }
    const worker = startWorker(() => {}, { concurrency: 2 });
    await untilEvents(worker, 'message-error', 3);
    for (let n = 0; n < 20; n++) queue.publish(`other ${n}`, n);
    await untilEvents(worker, 'completed', 20);
  }),
);

test(
  'the lease of a message that cannot be settled is not renewed, and the message is delivered again when it has lapsed',
  withQueue(async ({ clock, queue, spy, startWorker }) => {
    queue.publish('bad', 1);
    spy.failGroup('bad', DAMAGED);
    const worker = startWorker(() => {}, { visibilityMs: 1000, concurrency: 1 });
    await nextEvent(worker, 'message-error');
    const again = nextEvent(worker, 'started');
    const lost = nextEvent(worker, 'lease-lost');
    clock.advance(1002);
    assert.match((await lost).error.message, /lapsed and was claimed again/);
    spy.recover();
    await again;
    await untilIdle(worker);
    assert.equal(worker.snapshot().totals.completed, 1);
    assert.equal(queue.nextExpiry(), null);
  }),
);

for (const kind of bothTransports)
  test(
    `a lease that cannot be renewed is told once, and all others are renewed and settled (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, spy, connect, startWorker }) => {
      for (const event of ['bad', 'good']) queue.publish(event, event);
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle, { visibilityMs: 10_000 });
      const errors = recordEvents(worker, 'message-error', 'transport-error', 'lease-lost');
      await handler.untilStarted('bad', 'good');
      spy.failGroup('bad', DAMAGED);
      const renewed = spy.untilAnswered('extend', 2);
      clock.advance(5000);
      await renewed;
      clock.advance(4999);
      queue.publish('third', 'third');
      await handler.untilStarted('third');
      assert.deepEqual(errors, ['message-error bad']);
      assert.equal(connect().claim('x', 1000), null);
      spy.recover();
      for (const event of ['bad', 'good', 'third']) handler.finish(event);
      await untilIdle(worker);
      assert.equal(worker.snapshot().totals.completed, 3);
    }),
  );

test(
  'the errors of one message do not delay the acks of others, also when all share one transaction',
  withQueue(async ({ queue, spy, startWorker }) => {
    for (let n = 0; n < 10; n++) queue.publish(`g${n}`, n);
    spy.failGroup('g5', DAMAGED);
    const worker = startWorker(() => {}, { concurrency: 10 });
    const errors = recordEvents(worker, 'message-error', 'transport-error', 'lease-lost');
    await untilEvents(worker, 'completed', 9);
    assert.deepEqual(errors, ['message-error g5']);
    assert.deepEqual(
      spy.calls
        .filter(({ verb }) => verb === 'ack')
        .map(({ args }) => (args[0] as { groupId: string }).groupId),
      Array.from({ length: 10 }, (_, n) => `g${n}`),
    );
  }),
);

test(
  'when the disk has room for all outcomes but one, that one is set aside, and told when it has failed twice',
  withQueue(async ({ clock, queue, spy, startWorker }) => {
    queue.publish('large', 1);
    for (let n = 0; n < 20; n++) queue.publish(`small ${n}`, n);
    spy.failGroup('large', new LeaseholdError('DISK_FULL', 'The disk is full.'));
    const worker = startWorker(({ groupId }) => {
      if (groupId === 'large') throw new Error('a long text');
    });
    const errors = recordEvents(worker, 'message-error', 'transport-error');
    await untilEvents(worker, 'completed', 20);
    assert.deepEqual(errors, []);
    const told = nextEvent(worker, 'message-error');
    clock.advance(100);
    await told;
    assert.deepEqual(errors, ['message-error large']);
  }),
);

test(
  'results are kept while the disk is full, however long that is',
  withQueue(async ({ clock, queue, spy, startWorker }) => {
    for (const event of ['fails', 'completes']) queue.publish(event, event);
    let calls = 0;
    const worker = startWorker(
      ({ event }) => {
        calls++;
        if (event === 'fails') throw new Error('no');
      },
      { visibilityMs: 1000 },
    );
    const events = recordEvents(worker, 'completed', 'failed', 'lease-lost');
    await nextEvent(worker, 'started');
    spy.fail(
      ['claimMany', 'ackAndClaimMany', 'nack', 'extend'],
      new LeaseholdError('DISK_FULL', 'The disk is full.'),
    );
    for (let second = 0; second < 20; second++) {
      clock.advance(1000);
      await new Promise(setImmediate);
    }
    spy.recover();
    clock.advance(1000);
    await untilIdle(worker);
    assert.deepEqual([events.sort(), calls], [['completed completes', 'failed fails'], 2]);
  }),
);
