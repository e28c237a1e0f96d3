/**
 * A torture run: it tries to break the queue for a long time, and counts what broke.
 *
 * To add one: write a file beside this one that exports a `Torture`, and give it a name in `runs.ts`. What it needs from the
 * short run in `npm test` (workloads, checkers) stays in the `test` folders of `core/`, and is imported from there.
 */
import type { Row } from '../row.ts';

export interface Torture {
  readonly title: string;
  /** What `--size` counts, as in 'crash states'. */
  readonly unit: string;
  readonly defaultSize: number;
  /** The run is killed, and counts as failed, when it reports no progress for this long. Default 60,000. */
  readonly quietMs?: number;
  /**
   * Returns the lines of the report. A line with `met: false` fails the run. The run has a process of its own, so it may
   * change the environment and need not tidy up threads. The same size and seed must do the same, as far as the run can
   * decide it.
   */
  run(options: TortureOptions): Promise<readonly Row[]>;
}

export interface TortureOptions {
  readonly size: number;
  readonly seed: number;
  /** Reports progress: keeps the watchdog quiet, and shows the line on a terminal. */
  readonly progress: (line: string) => void;
}

/** A line that counts violations: there must be none. The first few are printed in full. */
export function violations(what: string, found: readonly string[]): Row {
  const first = found.slice(0, 5).join(' · ');
  return {
    what,
    target: 'none',
    result: found.length === 0 ? 'none' : `${found.length}: ${first}`,
    met: found.length === 0,
  };
}

/** A line for a control: a fault that was planted, and that the checker must find. */
export const control = (what: string, caught: number, planted: string): Row => ({
  what: `control: ${what}`,
  target: 'caught',
  result: caught > 0 ? `caught ${caught} times (${planted})` : `not caught (${planted})`,
  met: caught > 0,
});

/** The only line of a run that this machine cannot do. */
export const cannotStart = (reason: string): Row => ({
  what: 'the run starts',
  target: 'yes',
  result: `no: ${reason}`,
  met: false,
});
