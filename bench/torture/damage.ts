/** Damaged files: flipped bits and cut files, with every call on each. */
import { watched, watchedOnAllCores } from '../../core/sqlite/test/support/watched.ts';
import { control, type Torture, violations } from './torture.ts';

/** One file is cut short for so many with a flipped bit. */
const FLIPS_FOR_A_CUT = 15;
const HANG_MS = 60_000;
const CONTROL_HANG_MS = 10_000;
const MAX_SHOWN = 20;

export const damage: Torture = {
  title: 'Damaged files',
  unit: 'flipped bits',
  defaultSize: 3_000,
  quietMs: 2 * HANG_MS,
  async run({ size, seed, progress }) {
    const from = seed * 1_000_000;
    let done = 0;
    const damaged = (kind: string, count: number) =>
      watchedOnAllCores('damaged-files', {
        from,
        to: from + count,
        args: { kind, threadsEvery: 10, everything: true },
        hangMs: HANG_MS,
        maxFaults: MAX_SHOWN,
        onItem: () => progress(`${++done} damaged files`),
      });
    const flips = await damaged('flip', size);
    const cuts = await damaged('cut', Math.ceil(size / FLIPS_FOR_A_CUT));
    const endless = await watched('endless-levels', {
      from: 0,
      to: 640,
      hangMs: CONTROL_HANG_MS,
      onItem: () => progress('the control'),
    });
    return [
      violations(
        'calls on files with a flipped bit that hang, crash, or raise an error of no meaning',
        flips,
      ),
      violations('the same on files that are cut short', cuts),
      control('a statement that never returns', endless.length, 'an earlier claim, on a damaged index'),
    ];
  },
};
