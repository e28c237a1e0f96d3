/** Builds the states that a power loss could have left, and judges each. */
import Database from 'better-sqlite3';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { SqliteTransport } from '../../sqlite-transport.ts';
import { brokenRules } from '../support/file-check.ts';
import { randomFrom } from '../support/random.ts';
import { SecondClient } from '../support/second-client.ts';
import { type Contents, claimsBySpecification, layFiles, readContents } from './contents.ts';
import { below, Disk, type Files } from './disk.ts';
import type { History } from './history.ts';
import type { LogRecord } from './power-log.ts';

export interface Judging {
  readonly records: readonly LogRecord[];
  readonly history: History;
  /** What the log is judged as. With 'normal' only what was synced must be there. */
  readonly durability: 'full' | 'normal';
  readonly seed: number;
  /** For the files of each state. */
  readonly folder: string;
  /** A disk that answers syncs and does not do them. */
  readonly ignoresSyncs?: boolean;
}

export interface Judgement {
  /** What is wrong with which state, in words. With the log and the seed, a number tells how to build the state again. */
  readonly violations: readonly string[];
  /** How many states lack commits that were complete in the log, and the most that one lacks. */
  readonly withLoss: number;
  readonly mostLost: number;
}

interface State {
  readonly number: number;
  /** The power is lost after this record. */
  readonly after: number;
  readonly random: () => number;
}

/** Judges the states with the numbers from `from` to `to`, exclusive. */
export function judgeStates(judging: Judging, from: number, to: number, onState = () => {}): Judgement {
  const violations: string[] = [];
  let [withLoss, mostLost] = [0, 0];
  for (const { number, after, files } of buildStates(judging, from, to)) {
    const { lost, faults } = judgeState(judging, after, files);
    if (faults.length > 0) violations.push(`state ${number}: ${faults.join('; ')}`);
    if (lost > 0) withLoss++;
    mostLost = Math.max(mostLost, lost);
    onState();
  }
  return { violations, withLoss, mostLost };
}

/** The files of the states with these numbers, in the order of their moments. */
function* buildStates(
  { records, seed, ignoresSyncs = false }: Pick<Judging, 'records' | 'seed' | 'ignoresSyncs'>,
  from: number,
  to: number,
): Generator<State & { readonly files: Files }> {
  const states: State[] = [];
  for (let number = from; number < to; number++) {
    const random = randomFrom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
    states.push({ number, after: below(random, records.length), random });
  }
  states.sort((a, b) => a.after - b.after);
  const disk = new Disk();
  let applied = 0;
  for (const state of states) {
    for (; applied <= state.after; applied++) {
      const record = records[applied] as LogRecord;
      if (!ignoresSyncs || record.kind !== 'synced') disk.apply(record);
    }
    yield { ...state, files: disk.lose(state.random) };
  }
}

/** Lays the files of one state into the folder, to be looked at. */
export function rebuildState(judging: Omit<Judging, 'history' | 'durability'>, number: number): void {
  for (const { files } of buildStates(judging, number, number + 1)) layFiles(judging.folder, files);
}

function judgeState(
  judging: Judging,
  after: number,
  files: Files,
): { lost: number; faults: readonly string[] } {
  const { history, durability, folder } = judging;
  const done = history.commits[after] ?? 0;
  const required = (durability === 'full' ? history.promised : history.synced)[after] ?? 0;
  const faults: string[] = [];
  let lost = 0;
  const path = layFiles(folder, files);
  const db = new Database(path);
  try {
    const found = readContents(db);
    const state = stateOf(found, history, done);
    if (state === null) faults.push('its contents are those after no commit');
    else if (state < required) faults.push(`it has the commits up to ${state}, and ${required} was promised`);
    lost = done - (state ?? 0);
    const integrity = db.pragma('integrity_check', { simple: true });
    if (integrity !== 'ok') faults.push(`integrity_check: ${integrity}`);
    else faults.push(...serve(db, path, found, history.now));
  } catch (error) {
    faults.push(String(error));
  } finally {
    db.close();
  }
  return { lost, faults };
}

/** The latest commit, of those that were complete, with these contents; null when there is none. */
function stateOf(found: Contents, { states }: History, done: number): number | null {
  for (let state = done; state >= 0; state--) if (states[state]?.hash === found.hash) return state;
  return null;
}

const CLAIMS = 4;

/**
 * Opens a transport, which repairs, and lets it and the specification's second client claim and ack by turns. Each claim must
 * be the one that the specification names.
 */
function serve(db: Database.Database, path: string, before: Contents, now: number): string[] {
  const faults: string[] = [];
  const version = db.pragma('data_version', { simple: true });
  const queue = new SqliteTransport({ path, durability: 'normal', clock: new FakeClock(now) });
  try {
    const isUnchanged = db.pragma('data_version', { simple: true }) === version;
    const opened = isUnchanged ? before : readContents(db);
    const locks = ({ messages }: Contents) =>
      JSON.stringify(
        [...messages.values()].map(({ seq, locked_by, lock_expiry }) => [seq, locked_by, lock_expiry]),
      );
    if (locks(opened) !== locks(before)) faults.push('opening it changed messages');
    faults.push(...brokenRules(db));
    const second = new SecondClient(db, () => now / 1000);
    const expected = claimsBySpecification(opened, now / 1000);
    for (const [turn, seq] of (expected.length > 0 ? expected.slice(0, CLAIMS) : [undefined]).entries()) {
      const ours = turn % 2 === 0 ? queue.claim('judge', 60_000) : null;
      const theirs = turn % 2 === 1 ? second.claim('judge', 60) : null;
      const claimed = (ours ?? theirs)?.seq;
      if (claimed !== seq) faults.push(`claim ${turn + 1} takes ${claimed}, and the specification ${seq}`);
      if (ours) queue.ack(ours);
      if (theirs) second.ack(theirs);
    }
  } finally {
    queue.close();
  }
  return faults;
}
