/** Leaks: one worker handles many messages. What it keeps for them must not grow. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { AsyncSqliteTransport, runWorker, SqliteTransport, type Transport } from '../../core/index.ts';
import { inTempFolder } from '../../core/sqlite/test/support/temp-folder.ts';
import type { Row } from '../row.ts';
import type { Torture, TortureOptions } from './torture.ts';

const BATCH = 5_000;
const GROUPS = 500;

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

interface Sample {
  readonly heap: number;
  readonly rss: number;
  readonly handles: number;
}

function sample(): Sample {
  gc();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, rss, handles: process.getActiveResourcesInfo().length };
}

export const leaks: Torture = {
  title: 'Leaks of a worker',
  unit: 'messages for each transport',
  defaultSize: 300_000,
  async run(options) {
    return [
      ...(await runOver(
        'SqliteTransport',
        (path) => new SqliteTransport({ path, durability: 'normal' }),
        options,
      )),
      ...(await runOver(
        'AsyncSqliteTransport',
        (path) => new AsyncSqliteTransport({ path, durability: 'normal' }),
        options,
      )),
    ];
  },
};

async function runOver(
  name: string,
  open: (path: string) => Transport<number>,
  { size, progress }: TortureOptions,
): Promise<Row[]> {
  const samples: Sample[] = [];
  await inTempFolder(async (folder) => {
    const transport = open(folder.file());
    const worker = runWorker(transport, handle, {
      concurrency: 16,
      pollMs: 0,
      maxAttempts: 2,
      backoff: { initialMs: 1, factor: 1, maxMs: 1 },
    });
    // It keeps the process alive while an idle worker and a thread do not.
    const alive = setInterval(() => {}, 60_000);
    for (let done = 0; done < size; done += BATCH) {
      await transport.publishMany(
        Array.from({ length: BATCH }, (_, n) => ({ groupId: `g${n % GROUPS}-${done}`, event: n })),
      );
      await drained(transport, worker);
      samples.push(sample());
      progress(`${name}: ${done + BATCH} messages`);
    }
    await worker.stop();
    await transport.close();
    clearInterval(alive);
  });
  return judge(name, samples);
}

/** Most succeed, some fail and are buried, some park. */
function handle({ event, attempt }: { event: number; attempt: number }): void {
  if (event % 50 === 0 || (event % 20 === 0 && attempt === 1)) throw new Error(`failure of ${event}`);
}

async function drained(transport: Transport<number>, worker: { idle(): Promise<void> }): Promise<void> {
  do await worker.idle();
  while ((await transport.nextExpiry()) !== null);
  await worker.idle();
}

/** Compares the second third with the last: the first fills caches. */
function judge(name: string, samples: readonly Sample[]): Row[] {
  const third = Math.floor(samples.length / 3);
  const least = (part: readonly Sample[], what: keyof Sample) => Math.min(...part.map((each) => each[what]));
  const growth = (what: keyof Sample) =>
    least(samples.slice(-third), what) - least(samples.slice(third, 2 * third), what);
  const row = (what: string, unit: string, most: number, grown: number): Row => ({
    what: `${name}: growth of ${what}`,
    target: `at most ${most} ${unit}`.trim(),
    result: `${grown.toFixed(unit === 'MB' ? 2 : 0)} ${unit}`.trim(),
    met: grown <= most,
  });
  return [
    row('the heap', 'MB', 1, growth('heap') / 2 ** 20),
    row('the resident memory', 'MB', 10, growth('rss') / 2 ** 20),
    row('open handles and timers', '', 0, growth('handles')),
  ];
}
