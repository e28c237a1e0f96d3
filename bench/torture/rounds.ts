/** Splits a run into rounds, each on a file of its own: the judge holds the history of a round in memory. */
import { inTempFolder, type TempFolder } from '../../core/sqlite/test/support/temp-folder.ts';
import { forComparison, type Row } from '../row.ts';
import { violations } from './torture.ts';

export interface Judged {
  readonly found: readonly string[];
  readonly deliveries: number;
}

export interface Round {
  readonly folder: TempFolder;
  readonly seed: number;
  /** How much of the size this round does. */
  readonly count: number;
  readonly progress: (done: number) => void;
}

interface Rounds {
  readonly size: number;
  readonly seed: number;
  readonly perRound: number;
  readonly progress: (line: string) => void;
  /** What is done, as in '20 kills'. */
  readonly unit: string;
}

/** Returns the lines of all rounds. Their text begins with `prefix`. */
export async function inRounds(
  { size, seed, perRound, progress, unit }: Rounds,
  run: (round: Round) => Promise<Judged>,
  prefix = '',
): Promise<Row[]> {
  const found: string[] = [];
  let deliveries = 0;
  for (let done = 0; done < size; done += perRound) {
    const round = { seed: seed + done, count: Math.min(perRound, size - done) };
    const report = (more: number) => progress(`${prefix}${done + more} ${unit}, ${found.length} violations`);
    const judged = await inTempFolder((folder) => run({ ...round, folder, progress: report }));
    deliveries += judged.deliveries;
    found.push(...judged.found.map((each) => `seed ${round.seed}: ${each}`));
    report(round.count);
  }
  return [
    violations(`${prefix}rules of the queue that were broken`, found),
    forComparison(`${prefix}deliveries that were judged`, deliveries.toLocaleString('en')),
  ];
}
