import { describe, it } from 'node:test';
import fc from 'fast-check';
import { AsyncSqliteTransport, SqliteTransport } from '../index.ts';
import { round } from './support/model-arbitraries.ts';
import type { Action } from './support/model-actions.ts';
import { ModelRun, type Open } from './support/model-run.ts';
import { memoryOf } from './support/subjects.ts';
import { inTempFolder } from './support/temp-folder.ts';

const TRANSPORTS: Record<string, Open> = {
  SqliteTransport: (path, clock, fairness) => new SqliteTransport({ path, clock, fairness, durability: 'normal' }),
  AsyncSqliteTransport: async (path, clock, fairness) => {
    const transport = new AsyncSqliteTransport({ path, fairness, durability: 'normal' }, memoryOf(clock));
    await transport.holders();
    return transport;
  },
};

/** A round as fast-check runs and shrinks it; a failing sequence is printed as the list of what was done. */
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
    return texts.length === 1 ? String(texts[0]) : `at once: [${texts.join('; ')}]`;
  }
}

/** LEASEHOLD_SEED, from a failure's message, makes the same runs again; LEASEHOLD_RUNS makes more of them. */
const { LEASEHOLD_SEED, LEASEHOLD_RUNS } = process.env;
const parameters = {
  ...(LEASEHOLD_SEED ? { seed: Number(LEASEHOLD_SEED) } : {}),
  ...(LEASEHOLD_RUNS
    ? { numRuns: Number(LEASEHOLD_RUNS) }
    : { numRuns: 150, interruptAfterTimeLimit: 10_000, markInterruptAsFailure: false }),
};

for (const [name, open] of Object.entries(TRANSPORTS)) {
  describe(`${name} against the model`, () => {
    for (const fairness of ['new-groups-first', 'longest-waiting-first'] as const) {
      it(`any sequence of calls agrees, ${fairness}`, () =>
        fc.assert(
          fc.asyncProperty(fc.commands([round.map((each) => new Step(each))], { maxCommands: 60, size: 'max' }), (steps) =>
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
