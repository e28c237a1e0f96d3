/** An idle worker while the wall clock and the monotonic clock move apart: the computer sleeps, or its clock is set. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFrom } from '../../sqlite/test/support/random.ts';
import { ControlledHandler } from './support/controlled-handler.ts';
import { nextEvent, untilIdle } from './support/signals.ts';
import { bothTransports, type WorkerBench, withQueue, withTransport } from './support/worker-bench.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const POLL_MS = 1000;

/** Parks the message of a new group through the worker's own transport. */
function park(queue: WorkerBench['queue'], groupId: string, delayMs: number): void {
  queue.publish(groupId, groupId);
  const lease = queue.claim('another claimer', MINUTE);
  assert.ok(lease);
  queue.nack(lease, delayMs);
}

for (const kind of bothTransports) {
  test(
    `a park that ended while the computer slept is over for an idle worker at its next look at the file (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, startWorker }) => {
      park(queue, 'g', 10 * MINUTE);
      const worker = startWorker(() => {}, { pollMs: POLL_MS });
      await untilIdle(worker);
      clock.step(20 * MINUTE);
      const completed = nextEvent(worker, 'completed');
      clock.advance(POLL_MS);
      await completed;
    }),
  );

  test(
    `a park lasts no longer than its delay when the wall clock steps back by an hour (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, startWorker }) => {
      park(queue, 'g', MINUTE);
      const worker = startWorker(() => {}, { pollMs: POLL_MS });
      await untilIdle(worker);
      clock.advance(MINUTE / 2);
      clock.step(-HOUR);
      const completed = nextEvent(worker, 'completed');
      clock.advance(MINUTE / 2 + 1);
      await completed;
    }),
  );
}

test(
  'after a sleep, the lease of a handler that runs is renewed within one look at the file, also when every slot is taken',
  withQueue(async ({ clock, queue, spy, startWorker }) => {
    queue.publish('g', 'slow');
    const handler = new ControlledHandler();
    const worker = startWorker(handler.handle, { pollMs: POLL_MS, concurrency: 1, visibilityMs: HOUR });
    await handler.untilStarted('slow');
    spy.calls.length = 0;
    clock.advance(POLL_MS);
    clock.step(2 * HOUR);
    const renewed = spy.untilAnswered('extend');
    clock.advance(POLL_MS);
    await renewed;
    assert.ok(!spy.verbs.includes('dataVersion'), 'nothing would be claimed');
    handler.finish('slow');
    await nextEvent(worker, 'completed');
  }),
);

test(
  'however the two clocks move apart, no park lasts longer than its delay and one look at the file',
  withQueue(async ({ clock, queue, startWorker }) => {
    const random = randomFrom(20_261_130);
    const worker = startWorker(() => {}, { pollMs: POLL_MS });
    for (let round = 0; round < 100; round++) {
      await untilIdle(worker);
      const delayMs = 1 + Math.floor(random() * 10_000);
      park(queue, `g${round}`, delayMs);
      const completed = nextEvent(worker, 'completed');
      for (let left = delayMs + POLL_MS; left > 0; ) {
        const dice = random();
        if (dice < 0.2) clock.step(-Math.floor(random() * 2 * HOUR));
        else if (dice < 0.3) clock.step(Math.floor(random() * 2 * HOUR));
        const ms = Math.min(left, 1 + Math.floor(random() * 2000));
        clock.advance(ms);
        left -= ms;
        // The turn that a timer has requested takes place before this continues.
        await new Promise(setImmediate);
      }
      await completed;
    }
  }),
);

test(
  'a lock that has expired and that no claim takes is looked at again more and more seldom',
  withQueue(async ({ clock, spy, startWorker }) => {
    const expired = clock.now() - 1;
    const worker = startWorker(() => {});
    await untilIdle(worker);
    // As if the claim did not see what this call sees.
    const { transport } = spy;
    Object.assign(transport, { nextExpiry: () => expired });
    worker.wake();
    const waits: (number | null)[] = [];
    for (let look = 0; look < 8; look++) {
      await untilIdle(worker);
      waits.push(clock.nextTimerIn);
      clock.advance(clock.nextTimerIn ?? 0);
    }
    assert.deepEqual(waits, [20, 40, 80, 160, 320, 640, 1000, 1000]);
  }),
);
