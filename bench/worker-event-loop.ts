/** How long the event loop is blocked while a worker drains a queue, in plain Node or in Electron's main process. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Transport } from '../core/contract/transport.ts';
import { runWorker } from '../core/worker/index.ts';
import { EVENT } from './backlog.ts';
import { perSecond, type Row } from './row.ts';

const MESSAGES = 20_000;

export interface EventLoopDelay {
  readonly p999: number;
  readonly max: number;
  readonly ms: number;
  /** The p99.9 of an equally long run that only counts, in steps of 2 ms: the machine's own share. */
  readonly idle: number;
}

/** What worker-electron-main.ts measures, in its order. */
export const KINDS = [
  'SqliteTransport (normal)',
  'AsyncSqliteTransport (normal)',
  'SqliteTransport (full)',
] as const;

export function delayRow(where: string, { p999, max, ms, idle }: EventLoopDelay): Row {
  return {
    what: `event loop blocked while 20k are drained, ${where}, p99.9`,
    target: 'under 8 ms',
    result: `${p999.toFixed(1)} ms (longest ${max.toFixed(1)} ms; counting in steps of 2 ms instead: ${idle.toFixed(1)} ms; ${perSecond(MESSAGES, ms)})`,
    met: p999 < 8,
  };
}

/**
 * Drains 20k messages with handlers that return at once, and measures how long the event loop is blocked, ms. Another transport
 * has published them and is closed, so that the checkpoint of 20k publishes does not count.
 */
export async function delayWhileDraining(open: () => Transport): Promise<EventLoopDelay> {
  const publisher = open();
  for (let n = 0; n < MESSAGES / 1000; n++)
    await publisher.publishMany(Array.from({ length: 1000 }, (_, m) => ({ groupId: `g${m}`, event: EVENT })));
  await publisher.close();
  const transport = open();
  const running = runWorker(transport, () => {}, { concurrency: 16, releaseDeadWorkers: false });
  const start = performance.now();
  const drained = await watched(() => running.idle());
  const ms = performance.now() - start;
  await running.stop();
  await transport.close();
  const counted = await watched(() => count(ms));
  return { ...drained, ms, idle: counted.p999 };
}

async function watched(work: () => Promise<void>): Promise<{ p999: number; max: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  delay.disable();
  // The monitor's own timer takes 1 ms; the rest is the delay.
  return { p999: delay.percentile(99.9) / 1e6 - 1, max: delay.max / 1e6 - 1 };
}

async function count(forMs: number): Promise<void> {
  for (const end = performance.now() + forMs; performance.now() < end; await new Promise(setImmediate))
    for (const step = performance.now() + 2; performance.now() < step; );
}
