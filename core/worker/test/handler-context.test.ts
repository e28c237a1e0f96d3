import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaseLost } from '../../contract/errors.ts';
import { nextEvent, recordEvents, untilIdle, waitFor } from './support/signals.ts';
import { bothTransports, withQueue, withTransport } from './support/worker-bench.ts';

test(
  'progress stays between 0 and 1, is emitted with its note, and is ignored once the handler has ended',
  withQueue(async ({ queue, startWorker }) => {
    queue.publish('g', 1);
    const end = Promise.withResolvers<void>();
    let report: ((fraction: number, note?: string) => void) | undefined;
    const worker = startWorker(async (_message, { progress }) => {
      report = progress;
      progress(0.25, 'a quarter');
      progress(7);
      progress(Number.NaN, 'almost');
      await end.promise;
    });
    const reports: string[] = [];
    worker.on('progress', ({ fraction, note }) => reports.push(`${fraction} ${note}`));
    await nextEvent(worker, 'progress', ({ note }) => note === 'almost');
    assert.deepEqual(reports, ['0.25 a quarter', '1 a quarter', '1 almost']);
    const [running] = worker.snapshot().running;
    assert.deepEqual([running?.progress, running?.note], [1, 'almost']);
    end.resolve();
    await untilIdle(worker);
    report?.(0.5);
    assert.equal(reports.length, 3);
  }),
);

for (const kind of bothTransports) {
  test(
    `a handler that extends its lease keeps the message while it blocks the thread (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, connect, startWorker }) => {
      queue.publish('g', 1);
      const otherProcess = connect();
      let claimed: unknown = 'not tried';
      const worker = startWorker(
        async (_message, { extend }) => {
          await extend(60_000);
          clock.step(59_000);
          claimed = otherProcess.claim('x', 1000);
        },
        { visibilityMs: 1000 },
      );
      await untilIdle(worker);
      assert.equal(claimed, null);
      assert.equal(worker.snapshot().totals.completed, 1);
    }),
  );

  test(
    `extend rejects with LeaseLost after the lease is lost (${kind} transport)`,
    withTransport(kind, async ({ queue, startWorker, takeLeasesAway }) => {
      queue.publish('g', 1);
      const rejection = Promise.withResolvers<unknown>();
      const worker = startWorker(async (_message, { attempt, extend }) => {
        if (attempt > 1) return;
        takeLeasesAway();
        await extend().then(() => rejection.resolve('extend resolved'), rejection.resolve);
      });
      await nextEvent(worker, 'lease-lost');
      assert.ok((await waitFor('extend to reject', rejection.promise)) instanceof LeaseLost);
      assert.equal(worker.snapshot().totals.leaseLost, 1);
    }),
  );

  test(
    `a handler that ends while its extend is pending is acked under the new lease (${kind} transport)`,
    withTransport(kind, async ({ queue, startWorker }) => {
      queue.publish('g', 1);
      const worker = startWorker((_message, { extend }) => {
        void extend(60_000);
      });
      const events = recordEvents(worker, 'lease-lost', 'completed', 'transport-error');
      await untilIdle(worker);
      assert.deepEqual(events, ['completed g']);
      assert.equal(queue.claim('x', 1000), null);
    }),
  );
}

test(
  'a renewal never shortens a lease that its handler extended for longer',
  withQueue(async ({ clock, queue, spy, startWorker }) => {
    queue.publish('g', 1);
    const end = Promise.withResolvers<void>();
    const extended = Promise.withResolvers<void>();
    const worker = startWorker(
      async (_message, { extend }) => {
        await extend(600_000);
        extended.resolve();
        await end.promise;
      },
      { visibilityMs: 1000 },
    );
    await waitFor('the handler to extend its lease', extended.promise);
    worker.wake();
    await spy.untilAnswered('extend');
    assert.equal(queue.nextExpiry(), clock.now() + 600_000);
    end.resolve();
    await untilIdle(worker);
  }),
);
