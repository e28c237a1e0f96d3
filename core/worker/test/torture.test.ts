/**
 * Two worker processes on one file, with handlers that fail, hang, park, block, and kill their process. Afterwards the
 * shared log and the file must agree: every message was settled once or is still there, each group was handled in order,
 * and no two handlers of one group ever ran at the same time.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { assertSound, rows } from '../../sqlite/test/support/file-check.ts';
import { randomFrom } from '../../sqlite/test/support/random.ts';
import { TempFolder } from '../../sqlite/test/support/temp-folder.ts';
import { runWorker } from '../index.ts';
import { waitFor } from './support/signals.ts';

const MESSAGES = 1500;
const GROUPS = 40;
const CRASHES = 6;
/** How long the processes work, from when both have started a handler. */
const RUN_MS = Number(process.env.LEASEHOLD_TORTURE_MS ?? 5000);
const START_MS = 20_000;
const DRAIN_MS = 60_000;

test('with two processes and handlers that fail in every way, each message settles once, in order, alone in its group', async (t) => {
  const seed = Number(process.env.LEASEHOLD_SEED ?? Math.floor(Math.random() * 2 ** 31));
  t.diagnostic(`LEASEHOLD_SEED=${seed}`);
  const random = randomFrom(seed);
  using resources = new DisposableStack();
  const folder = resources.use(new TempFolder());
  const path = folder.file();
  const logPath = folder.file('log');
  writeFileSync(logPath, '');
  const queue = new SqliteTransport<number>({ path, durability: 'normal' });
  resources.defer(() => queue.close());
  queue.publishMany(
    Array.from({ length: MESSAGES }, (_, event) => {
      const group = Math.floor(random() * GROUPS);
      return { groupId: `g${group}`, event, priority: (group % 2) as 0 | 1 };
    }),
  );

  const crashes = await runProcesses(path, logPath, random);

  const left = rows(path, 'SELECT seq, group_id, locked_by FROM harel_transport_messages ORDER BY seq');
  const dead = rows(path, 'SELECT seq FROM harel_transport_dead_letters');
  const { counts, ended, completed, buried } = readLog(readFileSync(logPath, 'utf8'));
  t.diagnostic(`crashes ${crashes}, left ${left.length}, ${JSON.stringify(counts)}`);

  const stillThere = new Set(left.map(({ seq }) => seq as number));
  const deadSeqs = new Set(dead.map(({ seq }) => seq as number));
  const [{ last } = { last: 0 }] = rows(
    path,
    "SELECT seq AS last FROM sqlite_sequence WHERE name = 'harel_transport_messages'",
  );
  for (let seq = 1; seq <= (last as number); seq++) {
    const settled = (completed.get(seq) ?? 0) + (buried.get(seq) ?? 0);
    assert.ok(settled <= 1, `message ${seq} was settled ${settled} times`);
    if (settled === 1) assert.ok(!stillThere.has(seq), `message ${seq} was settled and is still there`);
    if (buried.has(seq)) assert.ok(deadSeqs.has(seq), `message ${seq} was buried and is not a dead letter`);
    if (completed.has(seq)) assert.ok(!deadSeqs.has(seq), `message ${seq} completed and is a dead letter`);
    // A process may have been killed between a commit and its line in the log.
    if (settled === 0 && !stillThere.has(seq) && !deadSeqs.has(seq))
      assert.ok(crashes > 0 && ended.has(seq), `message ${seq} is gone, and no handler of it ended`);
  }
  assert.ok((counts.start ?? 0) > 0, 'no handler was called');
  assert.equal(counts.lost ?? 0, 0);
  assert.ok(left.every(({ locked_by }) => locked_by === null || locked_by === '__parked__' || crashes > 0));
  assertSound(path);
  await drain(queue, path);
});

/** Runs two processes, and another one for each that crashes. Returns how many crashed. */
async function runProcesses(path: string, logPath: string, random: () => number): Promise<number> {
  let crashes = 0;
  let over = false;
  let started = 0;
  let settled = 0;
  const bothStarted = Promise.withResolvers<void>();
  const allSettled = Promise.withResolvers<void>();
  const ends: Promise<void>[] = [];
  const children = new Set<ChildProcess>();
  const start = () => {
    const childSeed = Math.floor(random() * 2 ** 31);
    const mayCrash = crashes < CRASHES ? 'yes' : 'no';
    const child = fork(new URL('./support/torture-worker.ts', import.meta.url), [
      path,
      logPath,
      `${childSeed}`,
      mayCrash,
    ]);
    children.add(child);
    child.on('message', (message) => {
      if (message === 'started' && ++started === 2) bothStarted.resolve();
      if (message === 'settled' && ++settled === MESSAGES) allSettled.resolve();
    });
    ends.push(
      new Promise((resolve) =>
        child.once('exit', (code, signal) => {
          children.delete(child);
          if (signal === 'SIGKILL') crashes++;
          else assert.equal(code, 0, 'a process ended with an error');
          if (!over) start();
          resolve();
        }),
      ),
    );
  };
  start();
  start();
  await waitFor('both processes to start a handler', bothStarted.promise, START_MS);
  await Promise.race([allSettled.promise, once(AbortSignal.timeout(RUN_MS), 'abort')]);
  over = true;
  for (const child of children) child.send('stop');
  await Promise.all(ends);
  return crashes;
}

/** A worker that releases what the killed processes held can still handle everything that is left. */
async function drain(queue: SqliteTransport<number>, path: string): Promise<void> {
  const worker = runWorker(queue, () => {}, { app: 'torture', concurrency: 16 });
  const drained = Promise.withResolvers<void>();
  const look = () => {
    if (rows(path, 'SELECT COUNT(*) AS n FROM harel_transport_messages')[0]?.n === 0) drained.resolve();
  };
  worker.on('completed', look);
  worker.on('buried', look);
  look();
  await waitFor('the queue to be empty', drained.promise, DRAIN_MS);
  await worker.stop();
}

/** Reads the log in order, and checks what must hold at every line. */
function readLog(text: string) {
  const counts: Record<string, number> = {};
  const running = new Map<string, { seq: number; pid: string }>();
  const highestStarted = new Map<string, number>();
  const ended = new Set<number>();
  const completed = new Map<number, number>();
  const buried = new Map<number, number>();
  const count = (outcomes: Map<number, number>, seq: number) =>
    outcomes.set(seq, (outcomes.get(seq) ?? 0) + 1);
  for (const line of text.trimEnd().split('\n')) {
    const [what = '', pid = '', number, group = ''] = line.split(' ');
    const seq = Number(number);
    counts[what] = (counts[what] ?? 0) + 1;
    if (what === 'start') {
      const other = running.get(group);
      assert.ok(!other, `${line}: ${other?.seq} of the same group still ran in ${other?.pid}`);
      const highest = highestStarted.get(group) ?? 0;
      assert.ok(seq >= highest, `${line}: ${highest} of the same group had started before`);
      highestStarted.set(group, seq);
      running.set(group, { seq, pid });
    } else if (what === 'end') {
      assert.equal(running.get(group)?.seq, seq, `${line}: it was not running`);
      running.delete(group);
      ended.add(seq);
    } else if (what === 'crash') {
      for (const [own, run] of running) if (run.pid === pid) running.delete(own);
    } else if (what === 'completed') count(completed, seq);
    else if (what === 'buried') count(buried, seq);
  }
  return { counts, ended, completed, buried };
}
