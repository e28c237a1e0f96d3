import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whyNotHere } from '../sqlite/test/support/preload.ts';
import { inTempFolder } from '../sqlite/test/support/temp-folder.ts';
import { Company, type CompanyOptions } from './support/company.ts';
import { Disk } from './support/disk-trouble.ts';
import { EVERY_KIND } from './support/run-kills.ts';
import {
  diskTrouble,
  foreignLock,
  freeze,
  jumpClock,
  kill,
  maintenance,
  readOnly,
  type Trouble,
  trouble,
} from './support/troubles.ts';

const SEED = Number(process.env.LEASEHOLD_SEED ?? Math.floor(Math.random() * 2 ** 31));
const VISIBILITY_MS = 150;

async function runTroubled(
  options: Omit<CompanyOptions, 'seed'>,
  troubles: readonly Trouble[],
  times: number,
): Promise<void> {
  using company = new Company({ ...options, seed: SEED, visibilityMs: VISIBILITY_MS, busyTimeoutMs: 200 });
  company.begin(EVERY_KIND);
  await company.untilUp();
  await trouble(company, troubles, times);
  const { found, deliveries } = await company.end();
  assert.deepEqual(found, [], `seed ${SEED}`);
  assert.ok(deliveries > 50, `${deliveries} deliveries`);
}

describe('processes of every kind on one queue keep all its rules', () => {
  it('while the wall clock jumps in both directions and processes are stopped for longer than their visibility', () =>
    inTempFolder((folder) => runTroubled({ folder }, [jumpClock, freeze(VISIBILITY_MS)], 10)));

  it('while other programs hold the lock, maintain the file and make it read-only, and processes are killed', () =>
    inTempFolder((folder) => runTroubled({ folder }, [foreignLock(300), maintenance, readOnly, kill], 5)));

  it('while the disk fails and processes are killed', { skip: whyNotHere() ?? false }, () =>
    inTempFolder(async (folder) => {
      const disk = new Disk(folder);
      await runTroubled({ folder, env: disk.env }, [diskTrouble(disk), kill], 10);
    }),
  );
});
