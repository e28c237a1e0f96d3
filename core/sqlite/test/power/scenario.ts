/** The workloads whose logs are judged. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Durability } from '../../file/prepare-connection.ts';
import { runAll } from '../support/program.ts';
import { TempFolder } from '../support/temp-folder.ts';
import { SUFFIXES } from './contents.ts';
import { Disk } from './disk.ts';
import { readHistory } from './history.ts';
import type { Judging } from './judge.ts';
import type { OlderFile } from './older-files.ts';
import { type LogRecord, loggingEnv, readLog } from './power-log.ts';
import type { WorkloadArguments } from './workload.ts';

export interface Scenario {
  readonly name: string;
  readonly durability: Durability;
  /** Each is a process; 'thread' uses the asynchronous transport. */
  readonly processes: readonly ('caller' | 'thread')[];
  /** The file is first made so, and upgraded. */
  readonly older?: OlderFile;
  /** How many times as long as others. */
  readonly length?: number;
}

const both = (name: string, rest: Omit<Scenario, 'name' | 'durability'>): Scenario[] =>
  (['full', 'normal'] as const).map((durability) => ({
    name: `${name}, ${durability}`,
    durability,
    ...rest,
  }));

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'an upgrade from the first specification, full',
    durability: 'full',
    processes: ['caller'],
    older: 'the first specification',
  },
  {
    name: 'an upgrade from schema 1, normal',
    durability: 'normal',
    processes: ['caller'],
    older: 'schema 1',
  },
  ...both('one process, its transport on a thread', { processes: ['thread'] }),
  ...both('two processes', { processes: ['caller', 'thread'] }),
];

/** The log grows until the queue's own checkpoints begin. The states are large. */
export const LONG_SCENARIOS: readonly Scenario[] = [
  ...both('one process with checkpoints by its thread', {
    processes: ['caller'],
    older: 'small pages',
    length: 6,
  }),
];

export interface LogSettings {
  /** The library that power-log.ts builds. */
  readonly library: string;
  readonly seed: number;
  readonly rounds: number;
}

/**
 * Runs the processes of a scenario to their end, and passes their log to `judge`, with a function that keeps the log and says
 * how to build one of its states again.
 */
export async function withLog<T>(
  scenario: Scenario,
  settings: LogSettings,
  judge: (judging: Judging, keepLog: () => string) => T,
): Promise<T> {
  using folder = new TempFolder();
  // Opening a state syncs, which takes longer than all the rest. In memory it takes no time.
  using states = new TempFolder(existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
  const { seed } = settings;
  const [queue, log] = [folder.file(), folder.file('log')];
  await runAll(programsOf(scenario, queue, settings), {
    together: true,
    env: loggingEnv(settings.library, queue, log),
  });
  const records = readLog(log);
  assertComplete(records, queue);
  const history = readHistory(records, states.path);
  const keepLog = () => {
    const kept = join(tmpdir(), `leasehold-${scenario.name.replaceAll(/\W+/g, '-')}-${seed}.log`);
    copyFileSync(log, kept);
    return `Build a state again: node core/sqlite/test/power/rebuild.ts ${kept} ${seed} NUMBER FOLDER`;
  };
  return judge({ records, history, durability: scenario.durability, seed, folder: states.path }, keepLog);
}

const programsOf = (
  { durability, processes, older, length = 1 }: Scenario,
  file: string,
  { seed, rounds }: LogSettings,
) =>
  processes.map((place, number) => {
    const args: WorkloadArguments = {
      file,
      seed: seed * 10 + number,
      rounds: Math.ceil((rounds * length) / processes.length),
      durability,
      onThread: place === 'thread',
      name: `p${number}`,
      alone: processes.length === 1,
      older,
    };
    return ['../power/workload', args] as const;
  });

/** Without a power loss the log must give the very files that the processes left, or it misses a way of writing. */
function assertComplete(records: readonly LogRecord[], file: string): void {
  const disk = new Disk();
  for (const record of records) disk.apply(record);
  const logged = disk.files();
  for (const name of ['queue', 'wal', 'journal'] as const) {
    const path = file + SUFFIXES[name];
    const real = existsSync(path) ? readFileSync(path) : undefined;
    const bytes = logged.get(name);
    assert.ok(bytes ? real?.equals(bytes) : !real, `the log does not give the bytes of ${path}`);
  }
}
