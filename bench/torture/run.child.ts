/** Program: one torture run in a process of its own, so that the parent can kill it when it hangs. */
import type { Row } from '../row.ts';
import { RUNS } from './runs.ts';

export interface ChildArguments {
  readonly name: string;
  readonly size: number | undefined;
  readonly seed: number;
}

export interface Start {
  readonly title: string;
  readonly size: number;
  readonly unit: string;
  readonly quietMs: number;
}

/** `start` comes first, then any number of `progress`, then `rows`. */
export type FromChild =
  | { readonly start: Start }
  | { readonly progress: string }
  | { readonly rows: readonly Row[] };

const QUIET_MS = 60_000;

const say = (message: FromChild): void => {
  process.send?.(message);
};

// The parent is gone, and with it the watchdog.
process.on('disconnect', () => process.exit(1));

const { name, size, seed } = JSON.parse(process.argv[2] ?? '{}') as ChildArguments;
const torture = await RUNS[name]?.();
if (!torture) throw new Error(`There is no torture run "${name}".`);
const { title, unit, defaultSize, quietMs = QUIET_MS } = torture;
const chosen = size ?? defaultSize;
say({ start: { title, size: chosen, unit, quietMs } });
const rows = await torture.run({ size: chosen, seed, progress: (line) => say({ progress: line }) });
process.send?.({ rows } satisfies FromChild, () => process.exit());
