import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inTempFolder } from '../sqlite/test/support/temp-folder.ts';
import { runKills } from './support/run-kills.ts';

const KILLS = 40;

it(`the processes of ${KILLS} kills at random moments, with both transports, workers and a second client, keep all rules of the queue`, (t) =>
  inTempFolder(async (folder) => {
    const seed = Number(process.env.LEASEHOLD_SEED ?? 1);
    const { found, kills, deliveries } = await runKills({ folder, seed, kills: KILLS });
    t.diagnostic(`seed ${seed}, ${deliveries} deliveries`);
    assert.deepEqual(found, []);
    assert.ok(kills >= KILLS && deliveries > KILLS, `${kills} kills, ${deliveries} deliveries`);
  }));
