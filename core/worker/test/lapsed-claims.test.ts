/** A handler must not be called on a lease that has lapsed: later messages of its group may have been handled since. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControlledHandler } from './support/controlled-handler.ts';
import { nextEvent, recordEvents, untilIdle } from './support/signals.ts';
import { bothTransports, withQueue, withTransport } from './support/worker-bench.ts';

/** Both readings of a time that passes while the process is suspended, and of one that passes while the computer sleeps. */
const gaps = ['suspended process', 'sleep'] as const;

for (const gap of gaps) {
  for (const kind of bothTransports)
    test(
      `a message whose claim is answered after its lease has lapsed is extended before its handler is called (${gap}, ${kind} transport)`,
      withTransport(kind, async ({ clock, queue, spy, startWorker }) => {
        queue.publish('g', 1);
        spy.beforeCall = (verb) => {
          if (verb !== 'claimMany') return;
          spy.beforeCall = () => {};
          if (gap === 'sleep') clock.step(1001);
          else clock.advance(1001);
        };
        const worker = startWorker(() => {}, { visibilityMs: 1000 });
        const calledAtStart = nextEvent(worker, 'started').then(() => spy.verbs);
        await nextEvent(worker, 'completed');
        const verbs = (await calledAtStart).filter((verb) => verb !== 'dataVersion' && verb !== 'holders');
        assert.deepEqual(verbs.slice(0, 2), ['claimMany', 'extend']);
      }),
    );

  test(
    `a message that was taken since is not handled when its claim is answered late (${gap})`,
    withTransport('asynchronous', async ({ clock, queue, spy, connect, startWorker }) => {
      queue.publish('g', 'first');
      queue.publish('g', 'second');
      const answer = spy.holdAnswers(['claimMany']);
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle, { visibilityMs: 1000 });
      const events = recordEvents(worker, 'started', 'lease-lost');
      await spy.untilCommitted('claimMany');
      if (gap === 'sleep') clock.step(1001);
      else clock.advance(1001);
      const otherProcess = connect();
      for (const event of ['first', 'second']) {
        const lease = otherProcess.claim('other process', 1000);
        assert.equal(lease?.event, event);
        if (lease) otherProcess.ack(lease);
      }
      answer();
      await nextEvent(worker, 'lease-lost');
      await untilIdle(worker);
      assert.deepEqual([events, handler.started], [['lease-lost g'], []]);
    }),
  );
}

test(
  'after the computer slept, a message that was claimed ahead is not handled when another process has taken it',
  withQueue(async ({ clock, queue, connect, startWorker }) => {
    for (let n = 0; n < 20; n++) queue.publish(`g${n}`, n);
    const handler = new ControlledHandler();
    const worker = startWorker(
      async (message, context) => {
        if (message.event > 2) await handler.handle(message, context);
      },
      { concurrency: 1, visibilityMs: 30_000 },
    );
    await handler.untilStarted(3);
    const ahead = worker.snapshot().waiting;
    assert.ok(ahead > 1);
    clock.step(3_600_000);
    const otherProcess = connect();
    // The one that runs, and the first that waits.
    const taken = otherProcess.claimMany('other process', 1000, 20).filter(({ event }) => event === 4);
    assert.equal(taken.length, 1);
    for (const lease of taken) otherProcess.ack(lease);
    const events = recordEvents(worker, 'started', 'lease-lost');
    handler.finish(3);
    for (let n = 5; n < 20; n++) handler.finish(n);
    await nextEvent(worker, 'lease-lost', ({ groupId }) => groupId === 'g4');
    assert.ok(!events.includes('started g4'));
  }),
);
