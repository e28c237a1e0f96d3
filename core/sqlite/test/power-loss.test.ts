import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Mark, readHistory } from './power/history.ts';
import { judgeStates } from './power/judge.ts';
import { buildLibrary, type LogRecord, whyNotHere } from './power/power-log.ts';
import { SCENARIOS, type Scenario, withLog } from './power/scenario.ts';
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

  it('a call whose effects are in two commits, or in none, is found', () =>
    withLog(SCENARIOS[0] as Scenario, { library, seed: SEED, rounds: 20 }, ({ records, folder: place }) => {
      const isPublish = ({ kind, data }: LogRecord) => kind === 'marked' && data.includes('published');
      const last = records.findLastIndex(isPublish);
      const before = records.findLastIndex((record, n) => n < last && isPublish(record));
      const publishedBy = (n: number) => (JSON.parse(String(records[n]?.data)) as Mark).published ?? [];
      const faultsOf = (published: readonly number[]) => {
        const data = Buffer.from(JSON.stringify({ published } satisfies Mark));
        const changed = records.map((record, n) => (n === last ? { ...record, data } : record));
        return readHistory(changed, place).faults.map((fault) => fault.split(':')[0]);
      };
      assert.deepEqual(faultsOf(publishedBy(last)), []);
      assert.deepEqual(faultsOf([...publishedBy(before), ...publishedBy(last)]), [
        'a commit has a part of it',
      ]);
      assert.deepEqual(faultsOf([1_000_000]), ['promised, and in no commit']);
    }));
});
