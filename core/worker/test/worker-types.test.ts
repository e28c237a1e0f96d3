/** What the compiler must accept and refuse; it runs only to show that the calls are real. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { runWorker } from '../index.ts';

type Job =
  | { readonly kind: 'upload'; readonly file: string }
  | { readonly kind: 'scan'; readonly folder: string; readonly deep: boolean };

test('handlers by kind get their own events, and a missing or unknown kind does not compile', async () => {
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
  await worker.idle();
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
