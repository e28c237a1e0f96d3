/** What the compiler accepts and refuses. The calls that it refuses are never executed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { runWorker } from '../index.ts';
import { untilIdle } from './support/signals.ts';

type Job =
  | { readonly kind: 'upload'; readonly file: string }
  | { readonly kind: 'scan'; readonly folder: string; readonly deep: boolean };

test('each handler of a union gets the events of its own kind, and a missing or unknown kind does not compile', async () => {
  const queue = new SqliteTransport<Job>({ path: ':memory:' });
  queue.publish('g', { kind: 'scan', folder: '/a', deep: true });
  const seen: unknown[] = [];
  const worker = runWorker(queue, {
    handlers: {
      upload: ({ event }) => void seen.push(event.file satisfies string),
      scan: async ({ event }, { signal, attempt }) => {
        seen.push([event.folder satisfies string, event.deep satisfies boolean, attempt, signal.aborted]);
      },
    },
  });
  await untilIdle(worker);
  await worker.stop();
  assert.deepEqual(seen, [['/a', true, 1, false]]);

  const never = () => {
    // @ts-expect-error scan is missing
    runWorker(queue, { handlers: { upload: () => {} } });
    // @ts-expect-error there is no such kind
    runWorker(queue, { handlers: { upload: () => {}, scan: () => {}, delete: () => {} } });
    // @ts-expect-error an upload has no folder
    runWorker(queue, { handlers: { upload: ({ event }) => event.folder, scan: () => {} } });
    // @ts-expect-error a misspelled option
    runWorker(queue, () => {}, { concurency: 2 });
    // One function gets the whole union; without a union any kind may be named.
    runWorker(queue, ({ event }) => event.kind satisfies 'upload' | 'scan');
    const untyped = new SqliteTransport({ path: ':memory:' });
    runWorker(untyped, {
      handlers: { any: ({ event }: { event: { n: number } }) => event.n },
      kindField: 'type',
    });
  };
  assert.ok(never);
  queue.close();
});
