/** Foreign statements: what a claim takes after them, compared with the specification's own SELECT. */
import { watched, watchedOnAllCores } from '../../core/sqlite/test/support/watched.ts';
import { control, type Torture, violations } from './torture.ts';

/** In the mean: a random program has 60 steps, and other calls among them. */
const STATEMENTS_OF_A_PROGRAM = 24;
const CONTROLS = 20;
const MAX_SHOWN = 20;

export const foreign: Torture = {
  title: 'Statements of another program',
  unit: 'foreign statements',
  defaultSize: 100_000,
  quietMs: 300_000,
  async run({ size, seed, progress }) {
    const from = seed * 1_000_000;
    const programs = Math.ceil(size / STATEMENTS_OF_A_PROGRAM);
    let done = 0;
    const found = await watchedOnAllCores('foreign-programs', {
      from,
      to: from + programs,
      maxFaults: MAX_SHOWN,
      onItem: () => progress(`${++done * STATEMENTS_OF_A_PROGRAM} statements`),
    });
    const flawed = await watched('foreign-programs', {
      from,
      to: from + CONTROLS,
      args: { flawed: true },
      maxFaults: CONTROLS,
      onItem: () => progress('the control'),
    });
    return [
      violations('programs after which a claim, a settle or a list differs from the specification', found),
      control(
        'a flawed specification',
        flawed.length,
        `${CONTROLS} programs; a lock ends a moment too early`,
      ),
    ];
  },
};
