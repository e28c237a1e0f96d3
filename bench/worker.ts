/** runWorker: its drain compared with plainjob's worker, how soon a handler starts, how long the event loop is blocked. */
import Database from 'better-sqlite3';
import { better, defineQueue, defineWorker } from 'plainjob';
import { AsyncSqliteTransport, SqliteTransport } from '../core/index.ts';
import { runWorker } from '../core/worker/index.ts';
import { EVENT } from './backlog.ts';
import { inFolder } from './measure.ts';
import { atLeast, type Bench, forComparison, perSecond, type Row } from './row.ts';
import { delayRow, delayWhileDraining } from './worker-event-loop.ts';

const A_ROUND = 4000;
const ROUNDS = 5;
const QUIET = { error() {}, warn() {}, info() {}, debug() {} };

export const worker: Bench = {
  title: 'The worker, 100-byte events (NORMAL)',
  run: () =>
    inFolder(async (folder) => [
      ...(await drainAgainstPlainjob(folder)),
      ...(await latency(folder)),
      delayRow(
        'SqliteTransport in plain Node',
        await delayWhileDraining(
          () => new SqliteTransport({ path: `${folder}/held.db`, durability: 'normal' }),
        ),
      ),
      delayRow(
        'AsyncSqliteTransport in plain Node',
        await delayWhileDraining(
          () => new AsyncSqliteTransport({ path: `${folder}/async.db`, durability: 'normal' }),
        ),
      ),
    ]),
};

async function drainAgainstPlainjob(folder: string): Promise<Row[]> {
  const transport = new SqliteTransport({ path: `${folder}/drain.db`, durability: 'normal' });
  const connection = new Database(`${folder}/plainjob.db`);
  const jobs = defineQueue({ connection: better(connection), logger: QUIET });
  const spent = { ours: 0, one: 0, theirs: 0 };
  for (let round = 0; round <= ROUNDS; round++) {
    const took = {
      ours: await ourDrain(transport, 16),
      one: await ourDrain(transport, 1),
      theirs: await theirDrain(jobs),
    };
    // The first round is the warm-up.
    if (round > 0) for (const name of ['ours', 'one', 'theirs'] as const) spent[name] += took[name];
  }
  transport.close();
  jobs.close();
  connection.close();
  const rate = (ms: number) => perSecond(A_ROUND * ROUNDS, ms);
  return [
    atLeast(
      "drain, concurrency 16, against plainjob's worker",
      3,
      spent.theirs / spent.ours,
      `${rate(spent.ours)} against ${rate(spent.theirs)}`,
    ),
    forComparison('drain, concurrency 1', rate(spent.one)),
  ];
}

async function ourDrain(transport: SqliteTransport, concurrency: number): Promise<number> {
  transport.publishMany(
    Array.from({ length: A_ROUND }, (_, n) => ({ groupId: `g${n % 100}`, event: EVENT })),
  );
  let left = A_ROUND;
  const drained = Promise.withResolvers<number>();
  const start = performance.now();
  const running = runWorker(
    transport,
    async () => {
      left--;
    },
    { concurrency, releaseDeadWorkers: false },
  );
  // Ends when the last message is acked, not when its handler returns.
  void running.idle().then(() => drained.resolve(performance.now() - start));
  const ms = await drained.promise;
  if (left !== 0) throw new Error(`${left} messages are left.`);
  await running.stop();
  return ms;
}

async function theirDrain(jobs: ReturnType<typeof defineQueue>): Promise<number> {
  jobs.addMany(
    'job',
    Array.from({ length: A_ROUND }, () => EVENT),
  );
  let left = A_ROUND;
  const drained = Promise.withResolvers<number>();
  const start = performance.now();
  const running = defineWorker(
    'job',
    async (job) => {
      JSON.parse(job.data);
    },
    {
      queue: jobs,
      logger: QUIET,
      onCompleted: () => {
        left--;
        if (left === 0) drained.resolve(performance.now() - start);
      },
    },
  );
  void running.start();
  const ms = await drained.promise;
  await running.stop();
  return ms;
}

async function latency(folder: string): Promise<Row[]> {
  const transport = new SqliteTransport({ path: `${folder}/latency.db`, durability: 'normal' });
  let publishedAt = 0;
  let started = Promise.withResolvers<number>();
  const running = runWorker(transport, () => started.resolve(performance.now() - publishedAt), { pollMs: 0 });
  await running.idle();
  const samples: number[] = [];
  for (let n = 0; n < 3000; n++) {
    started = Promise.withResolvers();
    publishedAt = performance.now();
    transport.publish(`g${n % 100}`, EVENT);
    const sample = await started.promise;
    // The first third warms up.
    if (n >= 1000) samples.push(sample);
    await running.idle();
  }
  await running.stop();
  transport.close();
  samples.sort((a, b) => a - b);
  const at = (part: number) => samples[Math.floor(samples.length * part)] ?? Number.NaN;
  return [
    {
      what: 'before publish to handler start, same process, p50',
      target: 'under 0.2 ms',
      result: `${at(0.5).toFixed(3)} ms (p99 ${at(0.99).toFixed(3)} ms)`,
      met: at(0.5) < 0.2,
    },
  ];
}
