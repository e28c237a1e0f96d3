/** Troubles: disks that fail, stopped processes, clocks that jump, foreign locks. The judge is that of the kills. */
import { whyNotHere } from '../../core/sqlite/test/support/preload.ts';
import { inTempFolder } from '../../core/sqlite/test/support/temp-folder.ts';
import { Company } from '../../core/test/support/company.ts';
import { Disk } from '../../core/test/support/disk-trouble.ts';
import type { Line } from '../../core/test/support/history.ts';
import { EVERY_KIND } from '../../core/test/support/run-kills.ts';
import * as troubles from '../../core/test/support/troubles.ts';
import type { Row } from '../row.ts';
import { inRounds } from './rounds.ts';
import { cannotStart, type Torture, type TortureOptions } from './torture.ts';

const VISIBILITY_MS = 150;

const { jumpClock, freeze, foreignLock, maintenance, readOnly, kill, diskTrouble } = troubles;

/** Each set of troubles occurs on files of its own. */
const SETS: Readonly<Record<string, (disk: Disk) => readonly troubles.Trouble[]>> = {
  'clocks that jump, stopped processes': () => [jumpClock, freeze(VISIBILITY_MS)],
  'foreign locks, maintenance, read-only files, kills': () => [foreignLock(300), maintenance, readOnly, kill],
  'a failing disk, kills': (disk) => [diskTrouble(disk), kill],
  'all at once': (disk) => [
    jumpClock,
    freeze(VISIBILITY_MS),
    foreignLock(300),
    maintenance,
    readOnly,
    kill,
    diskTrouble(disk),
  ],
};

export const faultsAndClocks: Torture = {
  title: 'Faults and clocks',
  unit: 'occurrences of each trouble',
  defaultSize: 100,
  // A round reports when it is over.
  quietMs: 180_000,
  async run(options) {
    const reason = whyNotHere();
    if (reason !== null) return [cannotStart(reason)];
    const rows: Row[] = [];
    for (const name of Object.keys(SETS)) rows.push(...(await runSet(name, options)));
    return [...rows, await recovery(options)];
  },
};

const runSet = (name: string, options: TortureOptions): Promise<Row[]> =>
  inRounds(
    { ...options, perRound: 20, unit: 'occurrences' },
    async ({ folder, seed, count }) => {
      const disk = new Disk(folder);
      const { env } = disk;
      using company = new Company({ folder, seed, visibilityMs: VISIBILITY_MS, busyTimeoutMs: 200, env });
      company.begin(EVERY_KIND);
      await company.untilUp();
      await troubles.trouble(company, SETS[name]?.(disk) ?? [], count);
      // Awaited here: what still runs at the end of the block is killed.
      return await company.end();
    },
    `${name}: `,
  );

const LOCKED_MS = 8_000;

/** How long workers take to claim again after a foreign lock that was longer than they wait for. */
async function recovery({ seed, progress }: TortureOptions): Promise<Row> {
  const waits: number[] = [];
  await inTempFolder(async (folder) => {
    using company = new Company({ folder, seed });
    company.begin(['worker', 'worker-thread']);
    await company.untilUp();
    for (let n = 0; n < 2; n++) {
      progress(`foreign lock ${n + 1}`);
      await foreignLock(LOCKED_MS)(company);
      await troubles.moment(2_000);
    }
    const { lines } = await company.end();
    for (const { at } of lines.filter((line) => 'unlocked' in line))
      for (const worker of ['worker-1', 'worker-thread-2']) waits.push(firstAnswer(lines, worker, at) - at);
  });
  const longest = Math.round(Math.max(...waits) / 1_000);
  return {
    what: `after a foreign lock of ${LOCKED_MS / 1_000} s both workers claim again`,
    target: 'within 1,000 ms',
    result: `${longest} ms`,
    met: longest <= 1_000,
  };
}

const firstAnswer = (lines: readonly Line[], worker: string, from: number): number =>
  lines.find((line) => line.process === worker && 'claimed' in line && line.at > from)?.at ??
  Number.POSITIVE_INFINITY;
