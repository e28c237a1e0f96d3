/** Listeners that pause, resume or stop the worker, or close its transport, in the middle of what the event tells. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControlledHandler } from './support/controlled-handler.ts';
import { nextEvent, recordEvents, untilIdle, waitFor } from './support/signals.ts';
import { bothTransports, withTransport } from './support/worker-bench.ts';

for (const kind of bothTransports) {
  test(
    `a worker that a listener pauses when it tells that it runs claims nothing (${kind} transport)`,
    withTransport(kind, async ({ queue, startWorker }) => {
      queue.publish('g', 'a');
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle);
      worker.on('state', ({ state }) => state === 'running' && worker.pause());
      await nextEvent(worker, 'state', ({ state }) => state === 'paused');
      await untilIdle(worker);
      worker.resume();
      await untilIdle(worker);
      assert.equal(worker.state, 'paused');
      assert.deepEqual(handler.started, []);
    }),
  );

  test(
    `a worker that a listener resumes when it tells that it is paused goes on claiming (${kind} transport)`,
    withTransport(kind, async ({ queue, startWorker }) => {
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle);
      await untilIdle(worker);
      worker.on('state', ({ state }) => state === 'paused' && worker.resume());
      worker.pause();
      assert.equal(worker.state, 'running');
      queue.publish('g', 'a');
      await handler.untilStarted('a');
    }),
  );

  test(
    `a handler is not called when a listener stops the worker as it is about to start (${kind} transport)`,
    withTransport(kind, async ({ queue, startWorker }) => {
      for (const abortGraceMs of [0, 1000]) {
        queue.publish(`grace ${abortGraceMs}`, 'a');
        const handler = new ControlledHandler();
        const worker = startWorker(handler.handle);
        const events = recordEvents(worker, 'released', 'abandoned', 'settled-late');
        await nextEvent(worker, 'started', () => {
          void worker.stop({ stopTimeoutMs: 0, abortGraceMs });
          return true;
        });
        await waitFor('the worker to stop', worker.stop());
        assert.deepEqual(handler.started, []);
        assert.ok(events.includes(`released grace ${abortGraceMs}`), events.join(', '));
        const lease = queue.claim('x', 1000);
        assert.deepEqual([lease?.attempt, lease?.crashes], [1, 0]);
        queue.ack(lease as NonNullable<typeof lease>);
      }
    }),
  );
}

test(
  'a handler is not called when a listener closes the transport as it is about to start',
  withTransport('synchronous', async ({ queue, startWorker }) => {
    queue.publish('g', 'a');
    const handler = new ControlledHandler();
    const worker = startWorker(handler.handle);
    worker.on('started', () => queue.close());
    await nextEvent(worker, 'state', ({ state }) => state === 'stopped');
    assert.deepEqual(handler.started, []);
  }),
);
