import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SqliteTransport } from '../index.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { contradictions, type Delivery, type LogLine } from './support/delivery-log.ts';
import { assertSound, execute, rows } from './support/file-check.ts';
import { runAll } from './support/program.ts';
import { inTempFolder } from './support/temp-folder.ts';

type Kind = 'our-worker' | 'second-worker';

/** Runs these kinds of workers on one file for `ms` and checks the joined log and what is left in the file. */
async function runTogether(file: string, kinds: readonly Kind[], ms: number): Promise<readonly LogLine[]> {
  const log = await runAll<LogLine>(
    kinds.map((kind, n) => [kind, { file, worker: `${kind}-${n}`, seed: Math.random() * 2 ** 32, ms, groups: 7 }]),
  );
  const ours = new SqliteTransport({ path: file, durability: 'normal', clock: new FakeClock() });
  ours.close();
  const seqs = (table: string) => rows(file, `SELECT seq FROM harel_transport_${table}`).map((row) => Number(row.seq));
  assert.deepEqual(contradictions(log, seqs('messages'), seqs('dead_letters')), []);
  assertSound(file);
  for (const kind of new Set(kinds)) {
    const acked = log.filter((line): line is Delivery => 'end' in line && line.end === 'acked');
    assert.ok(acked.filter(({ worker }) => worker.startsWith(kind)).length > 50, `${kind} took part`);
  }
  return log;
}

describe('several processes on one file', () => {
  it('four of ours publish, claim, settle, extend and abandon: no group is held by two, every order is kept', () =>
    inTempFolder(async (folder) => {
      const log = await runTogether(folder.file(), Array<Kind>(4).fill('our-worker'), 4_000);
      const ends = Object.groupBy(
        log.filter((line): line is Delivery => 'end' in line),
        ({ end }) => end,
      );
      for (const end of ['acked', 'buried', 'nacked', 'parked', 'left'] as const) {
        assert.ok((ends[end]?.length ?? 0) > 5, `deliveries that were ${end}`);
      }
    }));

  it('ours and programs that know only the specification work on one file at once', () =>
    inTempFolder(async (folder) => {
      await runTogether(folder.file(), ['our-worker', 'second-worker', 'our-worker', 'second-worker'], 4_000);
    }));

  it('a file that a program made before routing is opened by four at once and upgraded once', () =>
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
      await runTogether(folder.file(), Array<Kind>(4).fill('our-worker'), 300);
    }));

  it('a file that does not exist is made by ours and by others at once', () =>
    inTempFolder(async (folder) => {
      await runTogether(folder.file(), ['second-worker', 'our-worker', 'second-worker', 'our-worker'], 300);
    }));
});
