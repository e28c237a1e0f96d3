/** A thread of the power-loss run: makes logs and judges their states. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Judgement, judgeStates } from '../../core/sqlite/test/power/judge.ts';
import { type Scenario, withLog } from '../../core/sqlite/test/power/scenario.ts';

export interface PowerTask {
  readonly library: string;
  readonly scenarios: readonly Scenario[];
  /** The numbers of the logs that this thread makes. */
  readonly logs: readonly number[];
  readonly seed: number;
  readonly states: number;
  readonly controlStates: number;
}

export interface JudgedLog extends Judgement {
  readonly scenario: Scenario;
  readonly states: number;
  /** Violations that the control found: `normal` judged as `full`, or syncs ignored under `full`. */
  readonly caught: number;
  readonly controlStates: number;
}

const ROUNDS = 150;
const TELL_EACH = 10;

const { library, scenarios, logs, seed, states, controlStates } = workerData as PowerTask;
for (const number of logs) {
  const scenario = scenarios[number % scenarios.length] as Scenario;
  const settings = { library, seed: seed * 10_000 + number, rounds: ROUNDS };
  const judged = await withLog(scenario, settings, (log, keepLog): JudgedLog => {
    let count = 0;
    const judgement = judgeStates(log, 0, states, () => {
      if (++count % TELL_EACH === 0) parentPort?.postMessage(TELL_EACH);
    });
    const planted = scenario.durability === 'full' ? { ignoresSyncs: true } : { durability: 'full' as const };
    const caught = judgeStates({ ...log, ...planted }, 0, controlStates).violations.length;
    const found = [...log.history.faults, ...judgement.violations];
    const violations = found.length > 0 ? [...found, keepLog()] : [];
    return { ...judgement, violations, scenario, states, caught, controlStates };
  });
  parentPort?.postMessage(judged);
}
