/** Hostile calls: every public method with wrong types, huge values, and objects that raise or lie when they are read. */

import { TempFolder } from '../../core/sqlite/test/support/temp-folder.ts';
import { runHostileCalls } from '../../core/test/support/run-hostile-calls.ts';
import { forComparison } from '../row.ts';
import { type Torture, violations } from './torture.ts';

export const hostile: Torture = {
  title: 'Hostile calls',
  unit: 'calls',
  defaultSize: 10_000,
  async run({ size, seed, progress }) {
    using folder = new TempFolder();
    const { found, outcomes, methods } = await runHostileCalls({ folder, seed, calls: size, progress });
    return [
      violations(
        'calls that raised something else than a LeaseholdError, or wrote although they were refused',
        found,
      ),
      forComparison('methods that were called', String(methods.length)),
      ...Object.entries(outcomes).map(([outcome, count]) => forComparison(outcome, String(count))),
    ];
  },
};
