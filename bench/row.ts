/** A line of the results: what was measured, what it should reach, what came out. */
export interface Row {
  readonly what: string;
  /** What to reach, in words; empty where the line is only there to compare with. */
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

/** A line whose figure must be at least `least`. */
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
