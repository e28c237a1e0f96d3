/** Kills: processes of every kind on one queue, each killed at random moments. Every round has a new file. */

import { inTempFolder } from '../../core/sqlite/test/support/temp-folder.ts';
import { FALSIFICATIONS, judgeFalsified } from '../../core/test/support/falsifications.ts';
import { honestRun } from '../../core/test/support/honest-run.ts';
import { runKills } from '../../core/test/support/run-kills.ts';
import { forComparison, type Row } from '../row.ts';
import { type Torture, violations } from './torture.ts';

/** The judge holds the history of one round in memory. */
const KILLS_OF_A_ROUND = 100;

export const kills: Torture = {
  title: 'Kills at random moments',
  unit: 'kills',
  defaultSize: 10_000,
  // At the end of a round its history is judged, without progress.
  quietMs: 180_000,
  async run({ size, seed, progress }) {
    const found: string[] = [];
    let [done, deliveries] = [0, 0];
    for (let round = 0; done < size; round++) {
      await inTempFolder(async (folder) => {
        const result = await runKills({
          folder,
          seed: seed + round * 1_000,
          kills: Math.min(KILLS_OF_A_ROUND, size - done),
          onKill: (count) => progress(`${done + count} kills, ${found.length} violations`),
        });
        done += result.kills;
        deliveries += result.deliveries;
        found.push(...result.found.map((each) => `round ${round}: ${each}`));
      });
    }
    return [
      violations('rules of the queue that were broken', found),
      forComparison('processes killed: both transports, workers, a second client', done.toLocaleString('en')),
      forComparison('deliveries that were judged', deliveries.toLocaleString('en')),
      await falsified(),
    ];
  },
};

async function falsified(): Promise<Row> {
  const honest = await honestRun();
  const missed = FALSIFICATIONS.filter((each) => !judgeFalsified(honest, each).isCaught);
  return {
    what: 'control: falsified histories',
    target: 'caught',
    result:
      missed.length === 0
        ? `all ${FALSIFICATIONS.length} kinds caught`
        : `missed: ${missed.map(([what]) => what).join(', ')}`,
    met: missed.length === 0,
  };
}
