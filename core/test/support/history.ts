/**
 * The history of a process: what it asked of the queue and what was answered, one line of JSON each. A process writes its own
 * file, so a line never waits for another process.
 *
 * Nothing here and nothing in the checker (`check-history.ts`) knows the product. It judges a history by the rules of the
 * contract alone.
 */
import { closeSync, fdatasyncSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A message of a publish. `token` is its event: a text that is used once. */
export interface Published {
  readonly group: string;
  readonly token: string;
}

/** A delivery. `lease` names it, and no other delivery of any process. */
export interface Claimed extends Published {
  readonly lease: string;
  readonly seq: number;
  readonly worker: string;
  /** Null here and below: the client knows no such thing. */
  readonly attempt: number | null;
  /** Whether the claim itself counted the attempt in the file. */
  readonly counted: boolean;
  readonly fence: number | null;
  readonly crashes: number | null;
}

export type Settling = 'ack' | 'nack' | 'bury';

/** What a process is about to ask. */
export type Asked = { readonly ask: number } & (
  | { readonly publish: readonly Published[] }
  | { readonly claim: { readonly visibilityMs: number }; readonly acks: readonly string[] }
  | {
      readonly settle: Settling;
      readonly lease: string;
      readonly counted: boolean;
      readonly parked: boolean;
    }
  | { readonly extend: string; readonly visibilityMs: number }
  /** The lease counts its attempt in the file (a start), or takes it back. */
  | { readonly count: string; readonly counted: boolean }
  /** Frees what these workers hold. `ordinary`: they are alive and give back what they hold, so nothing is counted. */
  | { readonly release: readonly string[]; readonly ordinary: boolean }
);

/** The answer to `ask`. Without an answer, or with an error but BUSY, nobody knows whether it took effect. */
export type Answered = { readonly answer: number } & (
  | { readonly error: string }
  | {
      /** Of a publish. */
      readonly seqs?: readonly number[];
      /** Of a claim. */
      readonly claimed?: readonly Claimed[];
      /** Leases that were not held any more: nothing was changed for them. */
      readonly lost?: readonly string[];
      /** Of an extend. */
      readonly fence?: number | null;
    }
);

/** What a worker's handlers did. */
export type Handled =
  | { readonly start: number; readonly attempt: number }
  /** `start` and `end` are the message's seq. */
  | { readonly end: number };

/** What the driver did: it moved the wall clock by `jump` ms from the real one, or is about to end a process. */
export type Driven =
  | { readonly jump: number }
  /** Another program gave the write lock back. */
  | { readonly unlocked: true }
  | { readonly ended: string; readonly killed: boolean };

export type Entry = Asked | Answered | Handled | Driven;

/** `at`: microseconds on the machine's clock. `wall`: epoch ms on the wall clock of the process. */
export type Line = Entry & { readonly at: number; readonly wall: number; readonly process: string };

/** Microseconds since a moment that is the same for all processes of this machine. */
// biome-ignore lint/plugin: the clock's monotonic side has another start in each process; this one is the machine's.
const microseconds = (): number => Number(process.hrtime.bigint() / 1_000n);

export class Writer {
  readonly #fd: number;
  readonly #wall: () => number;
  #asks = 0;

  constructor(file: string, wall: () => number) {
    this.#fd = openSync(file, 'a');
    this.#wall = wall;
  }

  /** The line survives a kill. A settle's question and a claim's answer survive a power loss as well. */
  write(entry: Entry): void {
    writeSync(this.#fd, `${JSON.stringify({ at: microseconds(), wall: this.#wall(), ...entry })}\n`);
    if ('settle' in entry || 'claim' in entry || 'claimed' in entry) fdatasyncSync(this.#fd);
  }

  /** A number for the next ask of this process. */
  nextAsk(): number {
    return ++this.#asks;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** The histories of all processes in this folder, joined. The name of a file is the name of its process. */
export function readHistories(folder: string): Line[] {
  const lines = readdirSync(folder).flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const process = basename(name, '.jsonl');
    // The kill may have cut off the last line.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
    return whole.filter((line) => line !== '').map((line) => ({ process, ...JSON.parse(line) }) as Line);
  });
  return lines.sort((a, b) => a.at - b.at);
}
