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
  /** How many states a transport and the second client worked on. */
  readonly openings: number;
}

interface State {
  readonly number: number;
  /** The power is lost after this record. */
  readonly after: number;
  readonly random: () => number;
}

/**
 * Opening a transport costs more than all else here. So it serves each contents once, and then one state in so
 * many: what else differs between states with the same contents is what SQLite recovers from, which each state is judged by.
 */
const SERVE_EACH = 10;

/** Judges the states with the numbers from `from` to `to`, exclusive. */
export function judgeStates(judging: Judging, from: number, to: number, onState = () => {}): Judgement {
  const violations: string[] = [];
  const served = new Set<string>();
  let [withLoss, mostLost, openings] = [0, 0, 0];
  const { folder, history } = judging;
  for (const { number, after, files } of buildStates(judging, from, to)) {
    const { lost, contents, faults } = judgeState(judging, after, layFiles(folder, files));
    const found = [...faults];
    if (contents && found.length === 0 && (number % SERVE_EACH === 0 || !served.has(contents.hash))) {
      served.add(contents.hash);
      openings++;
      found.push(...serve(layFiles(folder, files), contents, history.now));
    }
    if (found.length > 0) violations.push(`state ${number}: ${found.join('; ')}`);
    if (lost > 0) withLoss++;
    mostLost = Math.max(mostLost, lost);
    onState();
  }
  return { violations, withLoss, mostLost, openings };
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

interface Found {
  /** How many commits are missing that were complete in the log. */
  readonly lost: number;
  readonly contents: Contents | null;
  readonly faults: readonly string[];
}

function judgeState(judging: Judging, after: number, path: string): Found {
  const { history, durability } = judging;
  const done = history.commits[after] ?? 0;
  const required = (durability === 'full' ? history.promised : history.synced)[after] ?? 0;
  const faults: string[] = [];
  const db = new Database(path);
  try {
    const contents = readContents(db);
    const state = stateOf(contents, history, done);
    if (state === null) faults.push('its contents are those after no commit');
    else if (state < required) faults.push(`it has the commits up to ${state}, and ${required} was promised`);
    const integrity = db.pragma('integrity_check', { simple: true });
    if (integrity !== 'ok') faults.push(`integrity_check: ${integrity}`);
    return { lost: done - (state ?? 0), contents, faults };
  } catch (error) {
    return { lost: done, contents: null, faults: [...faults, String(error)] };
  } finally {
    db.close();
  }
}

/** The latest commit, of those that were complete, with these contents; null when there is none. */
function stateOf(found: Contents, { states }: History, done: number): number | null {
  for (let state = done; state >= 0; state--) if (states[state]?.hash === found.hash) return state;
  return null;
}

const CLAIMS = 4;

/**
 * Opens a transport, which recovers and repairs, and lets it and the specification's second client claim and ack by turns. Each
 * claim must be the one that the specification names. `before` is what SQLite alone finds in these files.
 */
function serve(path: string, before: Contents, now: number): string[] {
  const faults: string[] = [];
  const queue = new SqliteTransport({ path, durability: 'normal', clock: new FakeClock(now) });
  const db = new Database(path);
  try {
    const opened = readContents(db);
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
    db.close();
    queue.close();
  }
  return faults;
}
