import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TempFolder } from '../sqlite/test/support/temp-folder.ts';
import { runHostileCalls } from './support/run-hostile-calls.ts';

/** `npm run torture -- hostile` makes 10,000. */
const CALLS = 1000;
const SEED = 20_261_130;

test('every public call with hostile arguments works, or raises a LeaseholdError and writes nothing when it is refused', async () => {
  using folder = new TempFolder();
  const { found, outcomes, methods } = await runHostileCalls({ folder, seed: SEED, calls: CALLS });
  assert.deepEqual(found, []);
  // Neither all of them refused nor all of them right.
  assert.ok(
    (outcomes.worked ?? 0) > CALLS / 10 && (outcomes.BAD_ARGUMENT ?? 0) > CALLS / 4,
    JSON.stringify(outcomes),
  );
  assert.ok(methods.length > 60, `only ${methods.length} methods were called`);
});
