/** What the programs of a run have in common: their arguments, history, clock and transport. */
import { setEnvironmentData } from 'node:worker_threads';
import type { Clock } from '../../contract/clock.ts';
import type { Transport } from '../../contract/transport.ts';
import { AsyncSqliteTransport } from '../../sqlite/async/async-transport.ts';
import type { Durability } from '../../sqlite/file/prepare-connection.ts';
import { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { programArguments } from '../../sqlite/test/support/program-side.ts';
import { randomFrom } from '../../sqlite/test/support/random.ts';
import { fileClock } from './file-clock.ts';
import { Writer } from './history.ts';
import { recorded } from './recorder.ts';

export interface MemberArguments {
  readonly file: string;
  /** The folder of the histories. */
  readonly histories: string;
  readonly clockFile: string;
  /** Its name, and the worker id of what it claims without runWorker. */
  readonly name: string;
  readonly seed: number;
  readonly durability: Durability;
  /** Uses AsyncSqliteTransport. */
  readonly onThread: boolean;
  /** How long it may hold what it claims. */
  readonly visibilityMs: number;
  readonly busyTimeoutMs: number;
  /** Workers that were killed. */
  readonly dead: readonly string[];
  /** How many calls it makes, or messages it handles, before it ends by itself; null: until it is told to end. */
  readonly rounds: number | null;
  /** Over how many groups the messages are spread. */
  readonly groups: number;
  /** One of the first handlers of a worker kills its own process. */
  readonly killsItself: boolean;
}

export interface Member {
  readonly args: MemberArguments;
  readonly random: () => number;
  readonly clock: Clock;
  readonly history: Writer;
  /** Resolves once the driver has asked it to end. */
  readonly over: Promise<void>;
  /** Ends the process. */
  exit(): never;
  /** A group and a token for the next message. */
  next(): { groupId: string; event: string };
}

/** Resolves when the driver tells this process to begin. */
export async function member(): Promise<Member> {
  const args = programArguments<MemberArguments>();
  const { histories, clockFile, name, seed } = args;
  const random = randomFrom(seed);
  const clock = fileClock(clockFile);
  const history = new Writer(`${histories}/${name}.jsonl`, clock.now);
  let tokens = 0;
  const over = new Promise<void>((resolve) => process.stdin.once('end', resolve));
  const next = () => ({ groupId: `g${Math.floor(random() * args.groups)}`, event: `${name}-${++tokens}` });
  const exit = () => {
    history.write({ ended: name, killed: false });
    process.exit();
  };
  say('loaded');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  return { args, random, clock, history, over, exit, next };
}

/** Opens the file and writes every call into the history. */
export function open({ args, clock, history }: Member): Transport<string> {
  const { file: path, durability, onThread, clockFile, busyTimeoutMs } = args;
  const options = { path, durability, busyTimeoutMs };
  if (!onThread)
    return recorded(
      patiently(() => new SqliteTransport<string>({ ...options, clock })),
      history,
    );
  setEnvironmentData('clock-file', clockFile);
  const threadFile = new URL('./clocked.thread.ts', import.meta.url);
  return recorded(new AsyncSqliteTransport<string>({ ...options, threadFile }), history);
}

/** Tries until it succeeds: the disk may fail, or the lock be held. */
export function patiently<T>(run: () => T): T {
  for (;;) {
    try {
      return run();
    } catch (error) {
      // An error of the program itself has no code.
      if (typeof (error as { code?: unknown }).code !== 'string') throw error;
    }
  }
}

/** Tells the driver that it is `loaded`, and then that it works: `up`. */
export const say = (what: 'loaded' | 'up'): void => void process.stdout.write(`"${what}"\n`);
