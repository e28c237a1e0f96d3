import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { SqliteTransport } from '../index.ts';
import { faultsIn } from '../sqlite/test/support/file-check.ts';
import { inTempFolder } from '../sqlite/test/support/temp-folder.ts';
import { Company, UP } from './support/company.ts';
import { moment } from './support/troubles.ts';

/** How often a process is killed, for each durability. */
const KILLS = Math.ceil(Number(process.env.LEASEHOLD_CRASHES ?? 200) / 2);
const SEED = Number(process.env.LEASEHOLD_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Checks the file as the crash left it, and again after a transport has opened and so repaired it. */
function inspect(file: string): void {
  const db = new Database(file);
  try {
    assert.deepEqual(faultsIn(db), [], 'after the crash');
    new SqliteTransport({ path: file, durability: 'normal' }).close();
    assert.deepEqual(faultsIn(db), [], 'after the repair');
  } finally {
    db.close();
  }
}

// Each test has its own file, so both run at the same time.
describe('writers killed at random moments', { concurrency: 2 }, () => {
  for (const durability of ['full', 'normal'] as const) {
    it(`after each of ${KILLS} kills with durability ${durability} published messages are there and acked ones are gone`, () =>
      inTempFolder(async (folder) => {
        using company = new Company({ folder, durability, seed: SEED });
        await company.run(['direct-thread'], 5);
        company.begin(['direct']);
        const [seat] = company.seats;
        assert.ok(seat);
        for (let kill = 1; kill <= KILLS; kill++) {
          // One in ten is killed while it starts and opens the file; the others while they work.
          if (company.random() > 0.1) await seat.program.ready(UP);
          await moment(company.random() * 50);
          seat.kind = company.random() < 0.1 ? 'direct-thread' : 'direct';
          await company.kill(seat, () => inspect(company.file));
        }
        const { found, deliveries } = await company.end();
        assert.deepEqual(found, [], `seed ${SEED}`);
        assert.ok(deliveries > KILLS, 'the writers claimed too few messages');
      }));
  }
});
