/** What an idle worker costs: wake-ups and CPU time of its process, compared with a process that has no worker. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Bench, Row } from './row.ts';

const run = promisify(execFile);
const FOR_MS = Number(process.env.LEASEHOLD_IDLE_MS ?? 60_000);

interface Idle {
  /** Voluntary context switches of the main thread, one for each time it goes back to sleep. Null where unknown. */
  readonly switches: number | null;
  readonly cpuMs: number;
  readonly timers: number;
}

async function measure(what: string): Promise<Idle> {
  const child = fileURLToPath(new URL('./worker-idle-child.ts', import.meta.url));
  const { stdout } = await run(process.execPath, [child, what, `${FOR_MS}`]);
  return JSON.parse(stdout) as Idle;
}

export const workerIdle: Bench = {
  title: `An idle worker, ${FOR_MS / 1000} s`,
  async run(): Promise<Row[]> {
    const [waiting, silent, polling] = await Promise.all(['nothing', '0', '1000'].map(measure));
    if (!waiting || !silent || !polling) throw new Error('A measurement is missing.');
    const format = ({ switches, cpuMs, timers }: Idle) =>
      `${timers} timers fired, ${switches ?? '?'} switches of the thread, ${cpuMs.toFixed(1)} ms CPU`;
    const more = (idle: Idle) => (idle.switches ?? 0) - (waiting.switches ?? 0);
    return [
      { what: 'a process without a worker', target: '', result: format(waiting), met: null },
      {
        what: 'a worker with pollMs 0',
        target: '0 wake-ups',
        result: format(silent),
        // A garbage collection may wake the thread of any process once.
        met: silent.timers === 0 && more(silent) <= 2,
      },
      {
        what: 'a worker with pollMs 1000: one pragma a second',
        target: `${FOR_MS / 1000} wake-ups`,
        result: format(polling),
        met: polling.timers <= FOR_MS / 1000 + 1,
      },
    ];
  },
};
