/** Makes a random program from a seed, runs it, and shrinks one that fails. */
import { SqliteTransport } from '../../../index.ts';
import { Dice } from './dice.ts';
import { ForeignRun, type Open } from './foreign-run.ts';
import { randomStep, type Step } from './foreign-steps.ts';
import { openAsync } from './subjects.ts';
import { TempFolder } from './temp-folder.ts';

const STEPS = 60;

const openSync: Open = (place, clock, fairness) => {
  const options = { clock, fairness, durability: 'normal' } as const;
  return typeof place === 'string'
    ? new SqliteTransport({ path: place, ...options })
    : new SqliteTransport({ database: place, ...options });
};

const openThread: Open = async (path, clock, fairness) =>
  openAsync({ path: String(path), fairness, durability: 'normal' }, clock);

export interface ForeignProgram {
  readonly steps: readonly Step[];
  readonly run: (steps: readonly Step[]) => Promise<string | null>;
}

/** `flawed`: compared with a flawed specification (see Specification). */
export function foreignProgram(seed: number, { flawed = false } = {}): ForeignProgram {
  const dice = new Dice(seed);
  const fairness = dice.once(5) ? 'longest-waiting-first' : 'new-groups-first';
  const isAsync = seed % 10 === 0;
  const open = isAsync ? openThread : openSync;
  const hasApp = seed % 3 === 1 && !isAsync;
  // The thread of an asynchronous transport repairs a file on the real clock, in the middle of what follows.
  const steps = Array.from({ length: STEPS }, () => randomStep(dice)).filter(
    ({ text }) => !(isAsync && text.startsWith('reopen')),
  );
  return {
    steps,
    run: async (chosen) => {
      using folder = new TempFolder();
      const run = await ForeignRun.open(folder.file(), open, { fairness, flawed, hasApp });
      try {
        for (const step of chosen) await step.run(run);
        await drain(run);
        return null;
      } catch (error) {
        return error instanceof Error ? (error.stack ?? error.message) : String(error);
      } finally {
        await run.close();
      }
    },
  };
}

/** In the end every lock has lapsed or never ends, and what can be claimed is claimed, in the specification's order. */
async function drain(run: ForeignRun): Promise<void> {
  run.clock.advance(4 * 3_600_000);
  for (let left = 40; left > 0; left--) {
    const claimed = await run.claim(0, 'w', 30_000, 1, { minPriority: 0, routingKeys: undefined });
    if (claimed === 0) return;
    await run.settle(0, (queue, lease) => queue.ack(lease));
  }
}

/** Drops steps while the program still fails. Returns the program that is left and its failure. */
export async function shrink(
  program: ForeignProgram,
  failure: string,
): Promise<{ steps: readonly Step[]; failure: string }> {
  let best = { steps: program.steps, failure };
  for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = best.steps.length - size; at > -size; at -= size) {
      const steps = best.steps.filter((_, n) => n < at || n >= at + size);
      if (steps.length === best.steps.length) continue;
      const failed = await program.run(steps);
      if (failed) best = { steps, failure: failed };
    }
  }
  return best;
}
