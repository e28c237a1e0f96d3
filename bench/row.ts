/** A line of the results: the measurement, its target and its result. */
export interface Row {
  readonly what: string;
  /** The target in words; empty for a line that is only for comparison. */
  readonly target: string;
  readonly result: string;
  /** Null where there is no target. */
  readonly met: boolean | null;
}

export interface Bench {
  readonly title: string;
  run(): Promise<Row[]>;
}

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

export const perSecond = (count: number, ms: number): string => `${whole.format((count / ms) * 1000)}/s`;

export const times = (ratio: number): string => `${ratio.toFixed(2)} times`;

/** A line with a figure that must be at least `least`. */
export function atLeast(what: string, least: number, ratio: number, detail: string): Row {
  return {
    what,
    target: `at least ${least} times`,
    result: `${times(ratio)} (${detail})`,
    met: ratio >= least,
  };
}

export function atMost(what: string, most: number, ratio: number, detail: string): Row {
  return { what, target: `at most ${most} times`, result: `${times(ratio)} (${detail})`, met: ratio <= most };
}

export const forComparison = (what: string, result: string): Row => ({ what, target: '', result, met: null });

export function asMarkdown(rows: readonly Row[]): string {
  const verdict = ({ met }: Row) => (met === null ? '' : met ? 'yes' : '**no**');
  const lines = rows.map((row) => `| ${row.what} | ${row.target} | ${row.result} | ${verdict(row)} |`);
  return ['| what | target | result | met |', '| --- | --- | --- | --- |', ...lines].join('\n');
}
