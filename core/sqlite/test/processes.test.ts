import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SqliteTransport } from '../../index.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { contradictions, type Delivery, type LogLine } from './support/delivery-log.ts';
import { assertSound, execute, rows } from './support/file-check.ts';
import type { HolderArguments } from './support/lock-holder.ts';
import type { WorkerArguments } from './support/our-worker.ts';
import { Program, runAll } from './support/program.ts';
import { inTempFolder } from './support/temp-folder.ts';

type Kind = 'our' | 'our-async' | 'second';

/** Runs the sets of workers on the file one after another, each set in parallel for `ms`. Checks their logs and the file. */
async function runTogether(
  file: string,
  sets: readonly (readonly Kind[])[],
  ms: number,
): Promise<readonly Delivery[]> {
  const log: LogLine[] = [];
  for (const [turn, kinds] of sets.entries()) {
    log.push(...(await runAll<LogLine>(programs(file, kinds, turn, ms), { together: true })));
  }

  // Opening repairs what a program that knows only the specification can leave.
  new SqliteTransport({ path: file, durability: 'normal', clock: new FakeClock() }).close();
  const seqs = (table: string) =>
    rows(file, `SELECT seq FROM harel_transport_${table}`).map((row) => Number(row.seq));
  assert.deepEqual(contradictions(log, seqs('messages'), seqs('dead_letters')), []);
  assertSound(file);
  const deliveries = log.filter((line): line is Delivery => 'end' in line);
  for (const kind of new Set(sets.flat())) {
    const took = deliveries.some(({ worker }) => worker.startsWith(`${kind}-`));
    assert.ok(took, `no ${kind} worker claimed a message`);
  }
  return deliveries;
}

function programs(file: string, kinds: readonly Kind[], turn: number, ms: number) {
  return kinds.map((kind, n) => {
    const worker = `${kind}-${turn}-${n}`;
    const seed = Math.floor(Math.random() * 2 ** 32);
    const args: WorkerArguments = { file, worker, seed, ms, groups: 7, onThread: kind === 'our-async' };
    return [kind === 'second' ? 'second-worker' : 'our-worker', args] as const;
  });
}

describe('several processes on one file', () => {
  it('with four Leasehold processes on one file no group is held twice at once and every group keeps its order', () =>
    inTempFolder(async (folder) => {
      const sets = [['our', 'our', 'our', 'our-async']] as const;
      const ends = new Set((await runTogether(folder.file(), sets, 4_000)).map(({ end }) => end));
      assert.deepEqual([...ends].sort(), ['acked', 'buried', 'left', 'nacked', 'parked']);
    }));

  it('Leasehold processes and programs that know only the specification share one file', () =>
    inTempFolder(async (folder) => {
      await runTogether(folder.file(), [['our', 'second', 'our-async', 'second']], 4_000);
    }));

  it('a file without routing keys is upgraded once when four processes open it at the same time', () =>
    inTempFolder(async (folder) => {
      execute(
        folder.file(),
        `PRAGMA journal_mode = DELETE;
         CREATE TABLE harel_transport_messages (
           seq INTEGER PRIMARY KEY AUTOINCREMENT, group_id TEXT NOT NULL, event TEXT NOT NULL,
           locked_by TEXT, lock_expiry REAL);
         CREATE TABLE harel_transport_groups (
           group_id TEXT PRIMARY KEY, last_claimed_at REAL NOT NULL DEFAULT 0.0, priority INT NOT NULL DEFAULT 0);`,
      );
      await runTogether(folder.file(), [['our', 'our-async', 'our', 'our-async']], 300);
    }));

  it('Leasehold and programs that know only the specification take turns on files that either created', () =>
    inTempFolder(async (folder) => {
      await runTogether(folder.file('ours.db'), [['our'], ['second'], ['our-async']], 200);
      await runTogether(folder.file('theirs.db'), [['second'], ['our'], ['second']], 200);
    }));

  it('opening a file in an older journal mode waits for its lock', () =>
    inTempFolder(async (folder) => {
      const args: HolderArguments = { file: folder.file(), holdMs: 200 };
      const holder = new Program('lock-holder', args);
      try {
        await holder.ready();
        const queue = new SqliteTransport({
          path: folder.file(),
          durability: 'normal',
          busyTimeoutMs: 60_000,
        });
        queue.publish('g', 1);
        queue.close();
        await holder.lines();
      } finally {
        holder.kill();
        await holder.exited;
      }
      assert.deepEqual(rows(folder.file(), 'SELECT id FROM mine'), [{ id: 1 }]);
    }));

  it('a missing file is created when Leasehold and other programs open it at the same time', () =>
    inTempFolder(async (folder) => {
      await runTogether(folder.file(), [['second', 'our', 'second', 'our-async']], 300);
    }));
});
