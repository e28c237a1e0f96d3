/** The cost of opening a large file, and how long a slice of the repair afterwards holds the thread. */
import { join } from 'node:path';
import { type Clock, SqliteTransport, systemClock } from '../core/index.ts';
import { type Backlog, fill, named } from './backlog.ts';
import { openEmpty } from './bare.ts';
import { inFolder, median } from './measure.ts';
import type { Bench, Row } from './row.ts';

const BACKLOG: Backlog = { messages: 1_000_000, groups: 1_000_000 };
const OPENINGS = 9;
const MOST_MS = 50;
const SLICES = 200;
const MOST_SLICE_MS = 4;

export const opening: Bench = {
  title: 'Opening a file',
  run: () =>
    inFolder((folder): Row[] => {
      const path = join(folder, 'queue.db');
      const db = openEmpty(path, 'normal');
      fill(db, BACKLOG);
      db.close();
      const openings: number[] = [];
      for (let n = 0; n < OPENINGS; n++) {
        const start = performance.now();
        const queue = new SqliteTransport({ path });
        openings.push(performance.now() - start);
        queue.close();
      }
      const slices = timedSlices(path);
      return [
        row(`opening, ${named(BACKLOG)}`, MOST_MS, median(openings)),
        row('the median slice of its repair', MOST_SLICE_MS, median(slices)),
      ];
    }),
};

/** Runs the slices one after the other instead of from timers. */
function timedSlices(path: string): number[] {
  let next: (() => void) | undefined;
  const clock: Clock = {
    ...systemClock,
    after(_ms, run) {
      next = run;
      return () => undefined;
    },
  };
  const queue = new SqliteTransport({ path, clock });
  const times: number[] = [];
  while (next && times.length < SLICES) {
    const run = next;
    next = undefined;
    const start = performance.now();
    run();
    times.push(performance.now() - start);
  }
  queue.close();
  return times;
}

const row = (what: string, most: number, ms: number): Row => ({
  what,
  target: `at most ${most} ms`,
  result: `${ms.toFixed(1)} ms`,
  met: ms <= most,
});
