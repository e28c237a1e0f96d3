/** Processes of every kind on one queue, each of them killed at random moments. */
import type { TempFolder } from '../../sqlite/test/support/temp-folder.ts';
import { Company, type Kind, UP } from './company.ts';
import { moment } from './troubles.ts';

export const EVERY_KIND: readonly Kind[] = ['direct', 'direct-thread', 'worker', 'worker-thread', 'second'];

/** One in ten is killed while it starts and opens the file, the others while they work. */
const KILLED_AT_START = 0.1;
const LONGEST_LIFE_MS = 200;

export interface KillsOptions {
  readonly folder: TempFolder;
  readonly seed: number;
  readonly kills: number;
  readonly onKill?: (count: number) => void;
}

export interface KillsResult {
  readonly found: readonly string[];
  readonly kills: number;
  readonly deliveries: number;
}

export async function runKills({ kills, onKill = () => {}, ...options }: KillsOptions): Promise<KillsResult> {
  using company = new Company(options);
  // Processes that ended by themselves leave compiled code, and later ones start faster.
  await company.run(EVERY_KIND, 5);
  company.begin(EVERY_KIND);
  let done = 0;
  // Each seat has its own killer, so that the start of one process does not delay the kill of another.
  await Promise.all(
    company.seats.map(async (seat) => {
      while (done < kills) {
        if (company.random() > KILLED_AT_START) await seat.program.ready(UP);
        await moment(company.random() * LONGEST_LIFE_MS);
        if (done >= kills) return;
        onKill(++done);
        await company.kill(seat);
      }
    }),
  );
  const { found, deliveries } = await company.end();
  return { found, deliveries, kills: done };
}
