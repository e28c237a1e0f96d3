import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { judgeStates } from './power/judge.ts';
import { buildLibrary, whyNotHere } from './power/power-log.ts';
import { SCENARIOS, withLog } from './power/scenario.ts';
import { TempFolder } from './support/temp-folder.ts';

const SEED = 1;
/** Of each scenario. */
const ROUNDS = 70;
const STATES = Math.ceil(2_000 / SCENARIOS.length);
const CONTROL_STATES = 30;

// The processes of one scenario work while the states of another are judged.
describe('a power loss', { skip: whyNotHere() ?? false, concurrency: 2 }, () => {
  const folder = new TempFolder();
  const library = folder.file('power-log.so');
  before(() => buildLibrary(library));
  after(() => folder[Symbol.dispose]());

  for (const scenario of SCENARIOS) {
    const isFull = scenario.durability === 'full';
    const kept = isFull ? 'all that was promised is there' : 'the first commits are there and no others';
    it(`after each of ${STATES} power losses ${kept}, and the queue goes on: ${scenario.name}`, () =>
      withLog(scenario, { library, seed: SEED, rounds: ROUNDS }, (log, keepLog) => {
        assert.deepEqual(log.history.faults, []);
        const { violations, withLoss } = judgeStates(log, 0, STATES);
        if (violations.length > 0) assert.fail([...violations, keepLog()].join('\n'));
        // Where nothing is synced for long the states lack commits, or they are no power losses.
        if (!isFull) assert.ok(withLoss > STATES / 4, `${withLoss} states lack commits`);
        const planted = isFull
          ? ({ ...log, ignoresSyncs: true } as const)
          : ({ ...log, durability: 'full' } as const);
        const control = judgeStates(planted, 0, CONTROL_STATES).violations;
        assert.ok(
          control.length > CONTROL_STATES / 4,
          isFull ? 'a disk that ignores syncs passes as a good one' : 'a log of normal passes as one of full',
        );
      }));
  }
});
