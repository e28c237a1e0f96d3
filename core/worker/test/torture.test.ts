/**
 * Two worker processes on one file, with handlers that fail, hang, park, block and kill their process. Afterwards the
 * joined log and the file must agree: every message was settled once or is still there, each group went in order, and
 * no two handlers of one group ever ran at a time.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { assertSound, rows } from '../../sqlite/test/support/file-check.ts';
import { randomFrom } from '../../sqlite/test/support/random.ts';
import { runWorker } from '../index.ts';

const MESSAGES = 1500;
const GROUPS = 40;
const CRASHES = 6;
/** From when both processes are at work; a busy machine may take long to get there. */
const RUN_MS = Number(process.env.LEASEHOLD_TORTURE_MS ?? 5000);
const START_MS = 20_000;

test('torture: two processes, handlers of every bad kind, and each message settles once, in order, alone in its group', async (t) => {
  const seed = Number(process.env.LEASEHOLD_SEED ?? Math.floor(Math.random() * 2 ** 31));
  t.diagnostic(`LEASEHOLD_SEED=${seed}`);
  const random = randomFrom(seed);
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-torture-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'queue.db');
  const logPath = join(folder, 'log');
  writeFileSync(logPath, '');
  const queue = new SqliteTransport<number>({ path, durability: 'normal' });
  queue.publishMany(
    Array.from({ length: MESSAGES }, (_, event) => {
      const group = Math.floor(random() * GROUPS);
      return { groupId: `g${group}`, event, priority: (group % 2) as 0 | 1 };
    }),
  );

  let crashes = 0;
  let over = false;
  const ended: Promise<void>[] = [];
  const children = new Set<ChildProcess>();
  const start = () => {
    const childSeed = Math.floor(random() * 2 ** 31);
    const mayCrash = crashes < CRASHES ? 'yes' : 'no';
    const child = fork(new URL('./torture-child.ts', import.meta.url), [
      path,
      logPath,
      `${childSeed}`,
      mayCrash,
    ]);
    children.add(child);
    ended.push(
      new Promise((resolve) =>
        child.once('exit', (code, signal) => {
          children.delete(child);
          if (signal === 'SIGKILL') crashes++;
          else assert.equal(code, 0, 'a child ended in another way than it was told to');
          if (!over) start();
          resolve();
        }),
      ),
    );
  };
  start();
  start();
  const empty = () => rows(path, 'SELECT COUNT(*) AS n FROM harel_transport_messages')[0]?.n === 0;
  const pause = () => new Promise((resolve) => setTimeout(resolve, 100));
  const atWork = () => new Set(readFileSync(logPath, 'utf8').match(/^start \d+/gm)).size >= 2;
  for (const cap = performance.now() + START_MS; performance.now() < cap && !atWork(); ) await pause();
  for (const end = performance.now() + RUN_MS; performance.now() < end && !empty(); ) await pause();
  over = true;
  for (const child of children) child.send('stop');
  await Promise.all(ended);

  const left = rows(path, 'SELECT seq, group_id, locked_by FROM harel_transport_messages ORDER BY seq');
  const dead = rows(path, 'SELECT seq FROM harel_transport_dead_letters');
  const { counts, finishedSeqs, acked, buried } = readLog(readFileSync(logPath, 'utf8'));
  t.diagnostic(`crashes ${crashes}, left ${left.length}, ${JSON.stringify(counts)}`);

  const stillThere = new Set(left.map(({ seq }) => seq as number));
  const deadSeqs = new Set(dead.map(({ seq }) => seq as number));
  const [{ last } = { last: 0 }] = rows(
    path,
    "SELECT seq AS last FROM sqlite_sequence WHERE name = 'harel_transport_messages'",
  );
  for (let seq = 1; seq <= (last as number); seq++) {
    const settled = (acked.get(seq) ?? 0) + (buried.get(seq) ?? 0);
    assert.ok(settled <= 1, `message ${seq} was settled ${settled} times`);
    if (settled === 1) assert.ok(!stillThere.has(seq), `message ${seq} was settled and is still there`);
    if (buried.has(seq)) assert.ok(deadSeqs.has(seq), `message ${seq} was buried and is no dead letter`);
    if (acked.has(seq)) assert.ok(!deadSeqs.has(seq), `message ${seq} was acked and is a dead letter`);
    // Between a commit and its line in the log a process may have been killed.
    if (settled === 0 && !stillThere.has(seq) && !deadSeqs.has(seq))
      assert.ok(crashes > 0 && finishedSeqs.has(seq), `message ${seq} is gone and nobody finished it`);
  }
  assert.ok((counts.start ?? 0) > 0, 'neither process got to work');
  assert.equal(counts.lost ?? 0, 0);
  assert.ok(left.every(({ locked_by }) => locked_by === null || locked_by === '__parked__' || crashes > 0));
  assertSound(path);

  // What is left can still be worked off, by a worker that recovers what the killed ones held.
  const rest = runWorker(queue, () => {}, { app: 'torture', concurrency: 16 });
  const drained = Promise.withResolvers<void>();
  const look = () => empty() && drained.resolve();
  rest.on('completed', look);
  rest.on('buried', look);
  look();
  const alive = setInterval(() => {}, 60_000);
  await drained.promise;
  clearInterval(alive);
  await rest.stop();
  queue.close();
});

/** Goes through the log in order and checks what must hold at every line. */
function readLog(text: string) {
  const counts: Record<string, number> = {};
  const running = new Map<string, { seq: number; pid: string }>();
  const furthest = new Map<string, number>();
  const finishedSeqs = new Set<number>();
  const acked = new Map<number, number>();
  const buried = new Map<number, number>();
  for (const line of text.trimEnd().split('\n')) {
    const [what = '', pid = '', number, group = ''] = line.split(' ');
    const seq = Number(number);
    counts[what] = (counts[what] ?? 0) + 1;
    if (what === 'start') {
      const other = running.get(group);
      assert.ok(!other, `${line}: ${other?.seq} of its group still ran in ${other?.pid}`);
      assert.ok(seq >= (furthest.get(group) ?? 0), `${line}: a later one of its group had started before`);
      furthest.set(group, seq);
      running.set(group, { seq, pid });
    } else if (what === 'end') {
      assert.equal(running.get(group)?.seq, seq, `${line}: it was not running`);
      running.delete(group);
      finishedSeqs.add(seq);
    } else if (what === 'crash') {
      for (const [own, run] of running) if (run.pid === pid) running.delete(own);
    } else if (what === 'acked') acked.set(seq, (acked.get(seq) ?? 0) + 1);
    else if (what === 'buried') buried.set(seq, (buried.get(seq) ?? 0) + 1);
  }
  return { counts, finishedSeqs, acked, buried };
}
