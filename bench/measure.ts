/** Times contenders in short alternating rounds, so that a slow moment of the machine affects all of them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs `work` with a folder that is removed afterwards. */
export async function inFolder<T>(work: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Adds up the time of steps by name. */
export class Stopwatch {
  readonly #total = new Map<string, number>();

  time<T>(name: string, step: () => T): T {
    const start = performance.now();
    const result = step();
    this.#total.set(name, this.ms(name) + performance.now() - start);
    return result;
  }

  /** The total in ms; 0 for a name that was never timed. */
  ms(...names: string[]): number {
    return names.reduce((sum, name) => sum + (this.#total.get(name) ?? 0), 0);
  }
}

/** Runs every contender once a round, `rounds` times, after a warm-up round that does not count. */
export function takeTurns(rounds: number, contenders: readonly ((counts: boolean) => void)[]): void {
  for (let round = 0; round <= rounds; round++) for (const run of contenders) run(round > 0);
}

/** The median of `samples`, which it sorts. */
export function median(samples: number[]): number {
  samples.sort((a, b) => a - b);
  return samples[samples.length >> 1] ?? Number.NaN;
}
