/** Power losses: states of many logs, judged on all cores. */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { buildLibrary, whyNotHere } from '../../core/sqlite/test/power/power-log.ts';
import { LONG_SCENARIOS, SCENARIOS, type Scenario } from '../../core/sqlite/test/power/scenario.ts';
import { forComparison, type Row } from '../row.ts';
import type { JudgedLog, PowerTask } from './power.thread.ts';
import { cannotStart, control, type Torture, violations } from './torture.ts';

const CONTROL_STATES = 50;

export const power = powerLosses({
  title: 'Power losses',
  scenarios: SCENARIOS,
  defaultSize: 100_000,
  statesOfALog: 4_000,
});

export const powerLongLog = powerLosses({
  title: 'Power losses while a long log is copied into the file',
  scenarios: LONG_SCENARIOS,
  defaultSize: 2_000,
  statesOfALog: 500,
});

interface Extent {
  readonly scenarios: readonly Scenario[];
  readonly statesOfALog: number;
}

function powerLosses({
  title,
  defaultSize,
  ...extent
}: Extent & Pick<Torture, 'title' | 'defaultSize'>): Torture {
  return {
    title,
    unit: 'states of the disk',
    defaultSize,
    // A long log has a thousand commits, whose contents are read before its first state.
    quietMs: 600_000,
    async run({ size, seed, progress }) {
      const reason = whyNotHere();
      if (reason !== null) return [cannotStart(reason)];
      const folder = mkdtempSync(join(tmpdir(), 'leasehold-torture-'));
      try {
        const library = join(folder, 'power-log.so');
        buildLibrary(library);
        let done = 0;
        const logs = await judgeLogs({ ...extent, size, seed, library }, (states) => {
          done += states;
          progress(`${done.toLocaleString('en')} states`);
        });
        return summary(extent.scenarios, logs);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  };
}

async function judgeLogs(
  { scenarios, statesOfALog, size, seed, library }: Extent & { size: number; seed: number; library: string },
  onStates: (count: number) => void,
): Promise<JudgedLog[]> {
  const count = Math.max(scenarios.length, Math.ceil(size / statesOfALog));
  const numbers = Array.from({ length: count }, (_, number) => number);
  const threads = availableParallelism();
  const judged: JudgedLog[] = [];
  const work = (thread: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const task: PowerTask = {
        library,
        scenarios,
        logs: numbers.filter((number) => number % threads === thread),
        seed,
        states: Math.ceil(size / count),
        controlStates: CONTROL_STATES,
      };
      const worker = new Worker(new URL('power.thread.ts', import.meta.url), { workerData: task });
      worker.on('message', (message: number | JudgedLog) => {
        if (typeof message === 'number') onStates(message);
        else judged.push(message);
      });
      worker.once('error', reject);
      worker.once('exit', () => resolve());
    });
  await Promise.all(Array.from({ length: threads }, (_, thread) => work(thread)));
  return judged;
}

function summary(scenarios: readonly Scenario[], logs: readonly JudgedLog[]): Row[] {
  const total = (of: readonly JudgedLog[], count: (log: JudgedLog) => number) =>
    of.reduce((sum, log) => sum + count(log), 0);
  const written = (count: number) => count.toLocaleString('en');
  const rows = scenarios.flatMap(({ name }) => {
    const own = logs.filter(({ scenario }) => scenario.name === name);
    const [states, withLoss] = [total(own, (log) => log.states), total(own, (log) => log.withLoss)];
    const openings = total(own, (log) => log.openings);
    const most = Math.max(0, ...own.map((log) => log.mostLost));
    return [
      violations(
        `${name}: ${written(states)} states of ${own.length} logs`,
        own.flatMap((log) => log.violations),
      ),
      forComparison(
        `${name}: states that lack commits, and states that Leasehold and the second client worked on`,
        `${written(withLoss)} (at most ${most} commits), ${written(openings)}`,
      ),
    ];
  });
  const [full, normal] = (['full', 'normal'] as const).map((durability) =>
    logs.filter(({ scenario }) => scenario.durability === durability),
  ) as [JudgedLog[], JudgedLog[]];
  const caught = (what: string, of: readonly JudgedLog[]): Row =>
    control(
      what,
      total(of, (log) => log.caught),
      `${written(total(of, (log) => log.controlStates))} states`,
    );
  return [
    ...rows,
    caught('logs of normal judged as full', normal),
    caught('a disk that answers syncs of full and does not do them', full),
  ];
}
