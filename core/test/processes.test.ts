import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SqliteTransport } from '../index.ts';
import { execute, rows } from '../sqlite/test/support/file-check.ts';
import type { HolderArguments } from '../sqlite/test/support/lock-holder.ts';
import { Program } from '../sqlite/test/support/program.ts';
import { inTempFolder } from '../sqlite/test/support/temp-folder.ts';
import { Company, type CompanyOptions, type Kind } from './support/company.ts';
import { type Facts, factsOf, type Use } from './support/deliveries.ts';

const SEED = Number(process.env.LEASEHOLD_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Runs the sets of processes on the file one after another, each set in parallel, and judges. */
async function runTogether(
  options: Omit<CompanyOptions, 'seed'>,
  sets: readonly (readonly Kind[])[],
  rounds: number,
): Promise<Facts> {
  using company = new Company({ ...options, seed: SEED });
  for (const kinds of sets) await company.run(kinds, rounds);
  const { found, lines } = await company.end();
  assert.deepEqual(found, [], `seed ${SEED}`);
  const facts = factsOf(lines);
  for (const kind of new Set(sets.flat())) {
    const took = facts.deliveries.some(({ process }) => process.startsWith(`${kind}-`));
    assert.ok(took, `no ${kind} process claimed a message`);
  }
  return facts;
}

/** Fails unless deliveries were used in each of these ways. */
function assertWays({ deliveries }: Facts, ...expected: Use['how'][]): void {
  const ways = new Set(deliveries.flatMap(({ uses }) => uses.map(({ how }) => how)));
  assert.deepEqual(
    expected.filter((way) => !ways.has(way)),
    [],
    'these never happened',
  );
}

describe('several processes on one file', () => {
  it('with four Leasehold processes on one file no group is held twice at once and every group keeps its order', () =>
    inTempFolder(async (folder) => {
      const sets = [['direct', 'direct', 'direct', 'direct-thread']] as const;
      const facts = await runTogether({ folder }, sets, 400);
      assertWays(facts, 'ack', 'bury', 'extend', 'nack');
    }));

  it('with workers whose handlers fail in every way and kill their process, each message is settled once, in order, alone in its group', () =>
    inTempFolder(async (folder) => {
      const sets = [['worker', 'worker', 'worker-thread']] as const;
      const facts = await runTogether({ folder, groups: 40, selfKills: 6, visibilityMs: 20_000 }, sets, 120);
      assert.ok(facts.starts.length > 360, 'too few handlers were called');
      assertWays(facts, 'ack', 'bury', 'nack', 'release', 'count');
    }));

  it('Leasehold processes and programs that know only the specification share one file', () =>
    inTempFolder(async (folder) => {
      await runTogether({ folder }, [['direct', 'second', 'direct-thread', 'second', 'worker']], 300);
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
      await runTogether({ folder }, [['direct', 'direct-thread', 'direct', 'direct-thread']], 30);
    }));

  it('Leasehold and programs that know only the specification take turns on a file that Leasehold created', () =>
    inTempFolder(async (folder) => {
      await runTogether({ folder }, [['direct'], ['second'], ['direct-thread']], 30);
    }));

  it('Leasehold and programs that know only the specification take turns on a file that such a program created', () =>
    inTempFolder(async (folder) => {
      await runTogether({ folder }, [['second'], ['direct'], ['second']], 30);
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
      await runTogether({ folder }, [['second', 'direct', 'second', 'direct-thread']], 30);
    }));
});
