/** Kills: processes of every kind on one queue, each killed at random moments. */
import { FALSIFICATIONS, judgeFalsified } from '../../core/test/support/falsifications.ts';
import { honestRun } from '../../core/test/support/honest-run.ts';
import { runKills } from '../../core/test/support/run-kills.ts';
import { forComparison, type Row } from '../row.ts';
import { inRounds } from './rounds.ts';
import { type Torture, violations } from './torture.ts';

export const kills: Torture = {
  title: 'Kills at random moments',
  unit: 'kills',
  defaultSize: 10_000,
  // At the end of a round its history is judged, without progress.
  quietMs: 180_000,
  async run(options) {
    let killed = 0;
    const rows = await inRounds({ ...options, perRound: 100, unit: 'kills' }, async (round) => {
      const result = await runKills({ ...round, kills: round.count, onKill: round.progress });
      killed += result.kills;
      return result;
    });
    const what = 'processes killed: both transports, workers, a second client';
    return [...rows, forComparison(what, killed.toLocaleString('en')), await falsified()];
  },
};

async function falsified(): Promise<Row> {
  const honest = await honestRun();
  const missed = FALSIFICATIONS.filter((each) => !judgeFalsified(honest, each).isCaught);
  return violations(
    `control: falsified histories that are not caught, of ${FALSIFICATIONS.length} kinds`,
    missed.map(([what]) => what),
  );
}
