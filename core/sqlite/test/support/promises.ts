/**
 * The promises of a process that can be killed at any moment: lines of a file, each appended with one write before or after
 * the call that it is about. Like commits, the lines survive the end of the process.
 */
import { readFileSync } from 'node:fs';

/**
 * `try`: it is about to publish these values; `done`: they have these seqs. `settle`: it is about to settle this seq, and
 * then `acked` or `buried`. Each value is a number that is used once.
 */
export type Line =
  | { readonly try: readonly number[]; readonly group: string }
  | { readonly done: readonly number[] }
  | { readonly settle: number }
  | { readonly acked: number }
  | { readonly buried: number };

export interface Promises {
  /** The value of each seq that was certainly published and whose settling has not begun. */
  readonly kept: Map<number, number>;
  readonly acked: Set<number>;
  readonly buried: Set<number>;
  /** The batch whose publish had begun: either all or none of it is there. */
  pending: readonly number[];
  /** The seq whose settling had begun: it may be settled or not. */
  open: number | null;
}

export const noPromises = (): Promises => ({
  kept: new Map(),
  acked: new Set(),
  buried: new Set(),
  pending: [],
  open: null,
});

/** Adds the promises of one more process that was killed. */
export function read(file: string, promises: Promises): void {
  const text = readFileSync(file, { encoding: 'utf8', flag: 'a+' });
  promises.pending = [];
  promises.open = null;
  // The kill may have cut off the last line, which is then no promise.
  for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
    if (line !== '') add(JSON.parse(line) as Line, promises);
  }
}

function add(line: Line, promises: Promises): void {
  if ('try' in line) {
    promises.pending = line.try;
  } else if ('done' in line) {
    for (const [n, seq] of line.done.entries()) promises.kept.set(seq, promises.pending[n] ?? Number.NaN);
    promises.pending = [];
  } else if ('settle' in line) {
    promises.open = line.settle;
    promises.kept.delete(line.settle);
  } else {
    if ('acked' in line) promises.acked.add(line.acked);
    else promises.buried.add(line.buried);
    promises.open = null;
  }
}
