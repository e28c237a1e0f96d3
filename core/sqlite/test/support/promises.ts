/**
 * What a process that may be killed at any moment has promised: lines of a file, each appended in one write before or
 * after the call it is about. What it wrote survives its end, as what it committed does.
 */
import { readFileSync } from 'node:fs';

/**
 * `try`: about to publish these values; `done`: they have these seqs. `settle`: about to settle this seq; then `acked`
 * or `buried`. A value is a number that is used once.
 */
export type Line =
  | { readonly try: readonly number[]; readonly group: string }
  | { readonly done: readonly number[] }
  | { readonly settle: number }
  | { readonly acked: number }
  | { readonly buried: number };

export interface Promises {
  /** Value by seq: what was published for certain and whose end has not begun. */
  readonly kept: Map<number, number>;
  readonly acked: Set<number>;
  readonly buried: Set<number>;
  /** The batch whose publish had begun: all of it may be there, or none. */
  pending: readonly number[];
  /** The seq whose settling had begun: it may have gone either way. */
  open: number | null;
}

export const noPromises = (): Promises => ({
  kept: new Map(),
  acked: new Set(),
  buried: new Set(),
  pending: [],
  open: null,
});

/** Adds what one more process has promised before it was killed. */
export function read(file: string, promises: Promises): void {
  const text = readFileSync(file, { encoding: 'utf8', flag: 'a+' });
  promises.pending = [];
  promises.open = null;
  // The kill may have cut the last line short: it was not promised yet.
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
