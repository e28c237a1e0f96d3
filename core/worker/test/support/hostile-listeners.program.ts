/**
 * A process whose listeners and logger raise at every call, as do the abort listeners of its handlers. It counts the uncaught
 * exceptions, and sends what became of its messages.
 */
import { SqliteTransport } from '../../../sqlite/sqlite-transport.ts';
import { type Logger, runWorker } from '../../index.ts';
import { WORKER_EVENTS } from '../../reporting/reporter.ts';

const [path = ''] = process.argv.slice(2);
const MESSAGES = 30;

// Keeps the process alive, which an idle worker does not.
process.on('message', () => {});

let uncaught = 0;
process.on('uncaughtException', () => uncaught++);

const raise = (): never => {
  throw new Error('raised by a callback of the app');
};

const queue = new SqliteTransport<number>({ path, durability: 'normal' });
for (const name of ['published', 'claimed', 'acked', 'nacked', 'parked', 'extended', 'buried'] as const)
  queue.on(name, raise);
// Nor does a listener that writes on what it gets mislead the worker, which hears the same events.
queue.on('published', (detail) => Object.assign(detail, { seq: 0, groupId: 'other' }));

const logger: Record<keyof Logger, () => void> = { debug: raise, info: raise, warn: raise, error: raise };
const worker = runWorker(
  queue,
  ({ event }, { signal }) => {
    // A logger may be taken apart while the worker runs.
    if (event === 10) Object.assign(logger, { debug: undefined, warn: null });
    if (event % 3 === 0) throw new Error('a failure');
    if (event % 3 === 1) return;
    signal.addEventListener('abort', raise);
    signal.onabort = raise;
    return new Promise(() => {});
  },
  {
    concurrency: 2,
    maxAttempts: Number.POSITIVE_INFINITY,
    timeoutMs: 5,
    abortGraceMs: 0,
    pollMs: 0,
    logger,
    backoff: () => raise(),
  },
);
for (const name of WORKER_EVENTS) worker.on(name, raise);
const { promise: settled, resolve } = Promise.withResolvers<void>();
let left = MESSAGES;
const count = () => {
  if (--left === 0) resolve();
};
worker.on('completed', count);
worker.on('failed', count);
for (let event = 0; event < MESSAGES; event++) queue.publish(`g${event}`, event);

await settled;
const { running, totals } = worker.snapshot();
const stopped = await worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 });
process.send?.(
  { uncaught, running: running.length, totals, stopped, holders: queue.holders().holders.length },
  () => {
    queue.close();
    process.exit();
  },
);
