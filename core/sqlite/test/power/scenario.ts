/** The workloads whose logs are judged. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Durability } from '../../file/prepare-connection.ts';
import { runAll } from '../support/program.ts';
import { SUFFIXES } from './contents.ts';
import { Disk } from './disk.ts';
import { type LogRecord, loggingEnv, readLog } from './power-log.ts';
import type { WorkloadArguments } from './workload.ts';

export interface Scenario {
  readonly name: string;
  readonly durability: Durability;
  /** Each is a process; 'thread' uses the asynchronous transport. */
  readonly processes: readonly ('caller' | 'thread')[];
  /** The file is first made as an older program did, and upgraded. */
  readonly older?: boolean;
}

const both = (name: string, rest: Omit<Scenario, 'name' | 'durability'>): Scenario[] =>
  (['full', 'normal'] as const).map((durability) => ({
    name: `${name}, ${durability}`,
    durability,
    ...rest,
  }));

export const SCENARIOS: readonly Scenario[] = [
  ...both('an older file that one process upgrades', { processes: ['caller'], older: true }),
  ...both('one process, its transport on a thread', { processes: ['thread'] }),
  ...both('two processes', { processes: ['caller', 'thread'] }),
];

/** Opening a state syncs, which takes longer than all the rest. In memory it takes no time. */
export const fastFolder = (): string => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());

export interface LogPlace {
  readonly library: string;
  /** An empty folder, for the queue and the log. */
  readonly folder: string;
}

export const logPathIn = (folder: string): string => join(folder, 'log');

/** Runs the processes of a scenario to their end. Returns their log. */
export async function logOf(
  { durability, processes, older = false }: Scenario,
  { library, folder }: LogPlace,
  { seed, rounds }: { seed: number; rounds: number },
): Promise<LogRecord[]> {
  const file = join(folder, 'queue.db');
  const programs = processes.map((place, number) => {
    const args: WorkloadArguments = {
      file,
      seed: seed * 10 + number,
      rounds: Math.ceil(rounds / processes.length),
      durability,
      onThread: place === 'thread',
      name: `p${number}`,
      older,
    };
    return ['../power/workload', args] as const;
  });
  const log = logPathIn(folder);
  await runAll(programs, { together: true, env: loggingEnv(library, file, log) });
  const records = readLog(log);
  assertComplete(records, file);
  return records;
}

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
