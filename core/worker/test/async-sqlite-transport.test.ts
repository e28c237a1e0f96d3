/** The worker over AsyncSqliteTransport: answers from a real thread, with the system's clock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AsyncSqliteTransport } from '../../sqlite/async/async-transport.ts';
import { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { TempFolder } from '../../sqlite/test/support/temp-folder.ts';
import { Park, runWorker } from '../index.ts';
import { nextEvent, recordEvents, untilIdle, waitFor } from './support/signals.ts';

type Event = { readonly n: number };

/** Long enough for hundreds of commits on a busy machine. */
const DRAIN_MS = 120_000;

function withThread(
  body: (queue: AsyncSqliteTransport<Event>, path: string) => Promise<void>,
): () => Promise<void> {
  return async () => {
    using folder = new TempFolder();
    const queue = new AsyncSqliteTransport<Event>({ path: folder.file() });
    try {
      await body(queue, folder.file());
    } finally {
      await queue.close();
    }
  };
}

test(
  'over a thread, 500 messages are completed, retried, parked or buried as their handlers decide, in the order of their groups',
  withThread(async (queue) => {
    await queue.publishMany(Array.from({ length: 500 }, (_, n) => ({ groupId: `g${n % 25}`, event: { n } })));
    const completed: number[] = [];
    const busyGroups = new Set<string>();
    const parked = new Set<number>();
    const worker = runWorker(
      queue,
      async ({ groupId, event: { n } }, { attempt }) => {
        assert.ok(!busyGroups.has(groupId), 'two handlers of one group');
        busyGroups.add(groupId);
        // A round trip to the thread, meanwhile other handlers run.
        await queue.dataVersion();
        busyGroups.delete(groupId);
        if (n % 10 === 3 && attempt === 1) throw new Error('once');
        if (n % 50 === 7) throw new Error('always');
        if (n % 10 === 5 && !parked.has(n)) {
          parked.add(n);
          throw new Park({ delayMs: 1 });
        }
        completed.push(n);
      },
      { concurrency: 8, maxAttempts: 2, backoff: { initialMs: 1, jitter: 0 } },
    );
    const drained = Promise.withResolvers<void>();
    let settled = 0;
    const count = () => {
      if (++settled === 500) drained.resolve();
    };
    worker.on('completed', count);
    worker.on('buried', count);
    await waitFor('500 messages to be settled', drained.promise, DRAIN_MS);
    await untilIdle(worker);
    const { totals } = worker.snapshot();
    assert.deepEqual(totals, { completed: 490, failed: 60, parked: 50, buried: 10, leaseLost: 0 });
    assert.equal((await queue.deadLetters()).length, 10);
    for (let group = 0; group < 25; group++) {
      const ofGroup = completed.filter((n) => n % 25 === group);
      assert.deepEqual(
        ofGroup,
        ofGroup.toSorted((a, b) => a - b),
      );
    }
    assert.deepEqual(await worker.stop(), { released: 0, abandoned: 0 });
  }),
);

test(
  'over a thread, a publish wakes an idle worker, and stop releases what runs without counting the attempt',
  withThread(async (queue, path) => {
    const worker = runWorker(queue, () => new Promise(() => {}), { pollMs: 0 });
    await untilIdle(worker);
    const started = nextEvent(worker, 'started');
    await queue.publish('g', { n: 1 });
    await started;
    const stopped = worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 });
    assert.deepEqual(await waitFor('stop() to end', stopped), { released: 1, abandoned: 1 });
    const otherProcess = new SqliteTransport<Event>({ path });
    assert.equal(otherProcess.claim('x', 1000)?.attempt, 1);
    otherProcess.close();
  }),
);

test(
  "over a thread, another process's publish is noticed by polling",
  withThread(async (queue, path) => {
    const otherProcess = new SqliteTransport<Event>({ path });
    const worker = runWorker(queue, () => {}, { pollMs: 5 });
    await untilIdle(worker);
    const completed = nextEvent(worker, 'completed');
    otherProcess.publish('g', { n: 1 });
    assert.equal((await completed).groupId, 'g');
    otherProcess.close();
    await waitFor('stop() to end', worker.stop());
  }),
);

test(
  'over a thread, closing the transport stops the worker and fires the signals of its handlers',
  withThread(async (queue) => {
    await queue.publish('g', { n: 1 });
    const aborted = Promise.withResolvers<void>();
    const worker = runWorker(
      queue,
      (_message, { signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => aborted.resolve());
        }),
    );
    const failures = recordEvents(worker, 'transport-error');
    await nextEvent(worker, 'started');
    await queue.close();
    await waitFor('the signal to fire', aborted.promise);
    assert.deepEqual([worker.state, failures], ['stopped', ['transport-error']]);
  }),
);
