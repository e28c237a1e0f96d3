import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { SqliteTransport } from '../../index.ts';
import { bundledThread } from './support/bundled-thread.ts';
import type { Filter } from './support/model.ts';
import { type Action, actions } from './support/model-actions.ts';
import { ModelRun, type Open } from './support/model-run.ts';
import { looks, surroundings } from './support/model-surroundings.ts';
import { openAsync } from './support/subjects.ts';
import { inTempFolder } from './support/temp-folder.ts';

/* Random actions on few groups, workers and keys, so that they collide. */
const group = fc.constantFrom('a', 'b', 'c', 'd');
const worker = fc.constantFrom('v', 'w');
const key = fc.constantFrom(null, null, 'x', 'y');
const event = fc.constantFrom<unknown>(1, 'two', { three: [null] });
const visibility = fc.constantFrom(1, 1_000, 30_000);
const delay = fc.constantFrom(0, 0, 500, 20_000);
const error = fc.constantFrom(undefined, 'first', 'second');
const pick = fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 5);
const filter: fc.Arbitrary<Filter> = fc.record({
  minPriority: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(4) }),
  routingKeys: fc.constantFrom(...Array(8).fill(undefined), [], ['x'], ['x'], ['y', 'x'], ['none']),
});

const verb: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(group, event, fc.nat(4), key).map((args) => actions.publish(...args)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.array(group, { maxLength: 3 }), fc.boolean())
      .map((args) => actions.publishMany(...args)),
  },
  { weight: 5, arbitrary: fc.tuple(worker, visibility, filter).map((args) => actions.claim(...args)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(worker, visibility, fc.integer({ min: 1, max: 4 }), filter)
      .map((a) => actions.claimMany(...a)),
  },
  { weight: 4, arbitrary: pick.map(actions.ack) },
  { weight: 4, arbitrary: fc.tuple(pick, delay, error, fc.boolean()).map((args) => actions.nack(...args)) },
  { weight: 2, arbitrary: fc.tuple(pick, visibility).map((args) => actions.extend(...args)) },
  { weight: 1, arbitrary: fc.tuple(pick, error).map((args) => actions.bury(...args)) },
  { weight: 2, arbitrary: fc.tuple(pick, visibility, filter).map((args) => actions.ackAndClaim(...args)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.array(pick, { maxLength: 3 }), fc.nat(3), filter)
      .map((args) => actions.ackAndClaimMany(...args)),
  },
  { weight: 1, arbitrary: fc.nat(2).map(actions.republish) },
  { weight: 1, arbitrary: fc.subarray(['v', 'w', 'second']).map(actions.release) },
);

const around: fc.Arbitrary<Action> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null).map(looks.holders) },
  { weight: 2, arbitrary: filter.map(looks.nextExpiry) },
  { weight: 4, arbitrary: fc.constantFrom(1, 499, 1_000, 1_001, 30_000).map(surroundings.advance) },
  { weight: 2, arbitrary: fc.constantFrom(-3_600, -10, 10, 3_600).map(surroundings.step) },
  { weight: 1, arbitrary: fc.constant(null).map(surroundings.reopen) },
  { weight: 2, arbitrary: fc.tuple(group, fc.boolean()).map((args) => surroundings.secondPublish(...args)) },
  { weight: 2, arbitrary: visibility.map(surroundings.secondClaim) },
  { weight: 2, arbitrary: fc.constantFrom(null, 0, 500).map(surroundings.secondSettle) },
);

/** One verb, one event outside the transport, or several verbs at the same time. */
const round: fc.Arbitrary<readonly Action[]> = fc.oneof(
  { weight: 6, arbitrary: verb.map((action) => [action]) },
  { weight: 3, arbitrary: around.map((action) => [action]) },
  { weight: 1, arbitrary: fc.array(verb, { minLength: 2, maxLength: 6 }) },
);

const TRANSPORTS: Record<string, Open> = {
  SqliteTransport: (path, clock, fairness) =>
    new SqliteTransport({ path, clock, fairness, durability: 'normal' }),
  AsyncSqliteTransport: async (path, clock, fairness) => {
    const transport = await openAsync({ path, fairness, durability: 'normal' }, clock);
    await transport.holders();
    return transport;
  },
};

/** A round as fast-check runs and shrinks it. A failing sequence is printed as a list of actions. */
class Step implements fc.AsyncCommand<object, ModelRun> {
  readonly #actions: readonly Action[];
  constructor(actions: readonly Action[]) {
    this.#actions = actions;
  }
  check(): boolean {
    return true;
  }
  run(_: object, run: ModelRun): Promise<void> {
    return run.act(this.#actions);
  }
  toString(): string {
    const texts = this.#actions.map(({ text }) => text);
    return texts.length === 1 ? String(texts[0]) : `together: [${texts.join('; ')}]`;
  }
}

/** LEASEHOLD_SEED (from a failure's message) repeats the runs of that seed; LEASEHOLD_RUNS sets the number of runs. */
const { LEASEHOLD_SEED, LEASEHOLD_RUNS } = process.env;
const parameters = {
  ...(LEASEHOLD_SEED ? { seed: Number(LEASEHOLD_SEED) } : {}),
  ...(LEASEHOLD_RUNS
    ? { numRuns: Number(LEASEHOLD_RUNS) }
    : { numRuns: 150, interruptAfterTimeLimit: 5_000, markInterruptAsFailure: false }),
};

// Outside the time limit of the runs, within which fast-check must complete one.
before(() => bundledThread());

for (const [name, open] of Object.entries(TRANSPORTS)) {
  describe(`${name} and the model`, () => {
    for (const fairness of ['new-groups-first', 'longest-waiting-first'] as const) {
      it(`${name} with ${fairness} agrees with the model after any sequence of calls`, () =>
        fc.assert(
          fc.asyncProperty(
            fc.commands([round.map((each) => new Step(each))], { maxCommands: 120, size: 'max' }),
            (steps) =>
              inTempFolder(async (folder) => {
                const run = await ModelRun.open(folder, open, fairness);
                try {
                  await fc.asyncModelRun(() => ({ model: {}, real: run }), steps);
                } finally {
                  await run.close();
                }
              }),
          ),
          parameters,
        ));
    }
  });
}
