import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { type Durability, SqliteTransport } from '../../index.ts';
import type { DoomedArguments } from './support/doomed-writer.ts';
import { faultsIn } from './support/file-check.ts';
import { Program, runAll } from './support/program.ts';
import { noPromises, type Promises, read } from './support/promises.ts';
import { inTempFolder, type TempFolder } from './support/temp-folder.ts';

/** How often a process is killed, for each durability. */
const KILLS = Math.ceil(Number(process.env.LEASEHOLD_CRASHES ?? 200) / 2);

interface Stored {
  readonly seq: number;
  readonly value: number;
  readonly group: string;
}

/** Reads and checks the file as the crash left it, and checks it again after a transport has opened and so repaired it. */
function inspect(file: string): { messages: Stored[]; dead: Stored[] } {
  const db = new Database(file);
  try {
    assert.deepEqual(faultsIn(db), [], 'after the crash');
    const all = (table: string) =>
      db
        .prepare(
          `SELECT seq, CAST(event AS INTEGER) AS value, group_id AS "group" FROM ${table} ORDER BY seq`,
        )
        .all();
    const found = {
      messages: all('harel_transport_messages') as Stored[],
      dead: all('harel_transport_dead_letters') as Stored[],
    };
    new SqliteTransport({ path: file, durability: 'normal' }).close();
    assert.deepEqual(faultsIn(db), [], 'after the repair');
    return found;
  } finally {
    db.close();
  }
}

/** Compares the file with the promises, and then makes the file's messages the new promises. */
function compare(promises: Promises, { messages, dead }: ReturnType<typeof inspect>): void {
  const stored = new Map(messages.map(({ seq, value }) => [seq, value]));
  const buried = new Set(dead.map(({ seq }) => seq));
  for (const [seq, value] of promises.kept)
    assert.equal(stored.get(seq), value, `message ${seq} was published and is lost`);
  for (const seq of promises.acked)
    assert.ok(!stored.has(seq) && !buried.has(seq), `message ${seq} was acked and is still there`);
  for (const seq of promises.buried)
    assert.ok(!stored.has(seq) && buried.has(seq), `message ${seq} was buried and is not a dead letter`);
  if (promises.open !== null && buried.has(promises.open)) promises.buried.add(promises.open);

  const unexpected = messages.filter(({ seq }) => !promises.kept.has(seq) && seq !== promises.open);
  const begun = unexpected.map(({ value }) => value);
  if (begun.length > 0)
    assert.deepEqual(
      begun,
      promises.pending,
      'an interrupted publish is in the file completely or not at all',
    );
  for (const group of new Set(messages.map((message) => message.group))) {
    const values = messages.filter((message) => message.group === group).map(({ value }) => value);
    assert.deepEqual(
      values,
      [...values].sort((a, b) => a - b),
      `group ${group} is out of order`,
    );
  }
  promises.kept.clear();
  for (const { seq, value } of messages) promises.kept.set(seq, value);
}

async function killOne(folder: TempFolder, durability: Durability, firstValue: number): Promise<void> {
  const program = new Program('doomed-writer', {
    file: folder.file(),
    log: folder.file('promises'),
    seed: firstValue,
    firstValue,
    durability,
    onThread: Math.random() < 0.1,
  } satisfies DoomedArguments);
  try {
    // One in ten is killed while it starts and opens the file; the others while they work.
    if (Math.random() < 0.1) await moment(Math.random() * 100);
    else {
      await program.ready();
      await moment(Math.random() * 25);
    }
  } finally {
    program.kill();
    const { signal } = await program.exited;
    assert.equal(signal, 'SIGKILL', 'the process ended before it was killed');
  }
}

/** The random moment of the kill. It waits for nothing. */
const moment = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

// Each test has its own file, so both run at the same time.
describe('writers killed at random moments', { concurrency: 2 }, () => {
  for (const durability of ['full', 'normal'] as const) {
    it(`after each of ${KILLS} kills with durability ${durability} published messages are there and acked ones are gone`, () =>
      inTempFolder(async (folder) => {
        const promises = noPromises();
        const [file, log] = [folder.file(), folder.file('promises')];
        const first: DoomedArguments = {
          file,
          log,
          seed: 1,
          firstValue: 0,
          durability,
          onThread: true,
          rounds: 5,
        };
        await runAll([['doomed-writer', first]]);
        read(log, promises);
        rmSync(log);
        for (let kill = 1; kill <= KILLS; kill++) {
          await killOne(folder, durability, kill * 1_000_000);
          read(log, promises);
          rmSync(log, { force: true });
          compare(promises, inspect(file));
        }
        assert.ok(promises.acked.size > KILLS, 'the writers acked too few messages');
        assert.ok(promises.buried.size > 0);
      }));
  }
});
