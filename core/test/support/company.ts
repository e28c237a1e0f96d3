/** Many processes on one queue, and what troubles them. Afterwards their histories are judged. */
import { mkdirSync } from 'node:fs';
import Database from 'better-sqlite3';
import { systemClock } from '../../contract/clock.ts';
import type { Durability } from '../../sqlite/file/prepare-connection.ts';
import { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { faultsIn } from '../../sqlite/test/support/file-check.ts';
import { Program } from '../../sqlite/test/support/program.ts';
import { randomFrom } from '../../sqlite/test/support/random.ts';
import type { TempFolder } from '../../sqlite/test/support/temp-folder.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { violations } from './check-history.ts';
import { factsOf } from './deliveries.ts';
import { createFileClock, setFileClock } from './file-clock.ts';
import { type Line, readHistories, Writer } from './history.ts';
import type { MemberArguments } from './member.ts';
import { recorded } from './recorder.ts';
import { restOf } from './rest-of.ts';

export type Kind = 'direct' | 'direct-thread' | 'worker' | 'worker-thread' | 'second';

const PROGRAMS = {
  direct: 'direct-member',
  'direct-thread': 'direct-member',
  worker: 'worker-member',
  'worker-thread': 'worker-member',
  second: 'second-member',
} as const;

export interface CompanyOptions {
  readonly folder: TempFolder;
  readonly seed: number;
  /** How long the processes may hold what they claim; default 60,000. */
  readonly visibilityMs?: number;
  /** Default: it changes from process to process. */
  readonly durability?: Durability;
  /** How long they wait for the lock; default 5,000. */
  readonly busyTimeoutMs?: number;
  /** Over how many groups the messages are spread; default 7. */
  readonly groups?: number;
  /** How many of the first workers kill their own process; the driver then starts another. Default 0. */
  readonly selfKills?: number;
  /** The environment of the processes, beside this one's. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Seat {
  kind: Kind;
  name: string;
  program: Program;
}

/** No lock of a run ends later, however far the clock jumped. */
const DAY_MS = 86_400_000;
/** The lines of output of a process that is loaded, and of one that works. */
const LOADED = 1;
export const UP = 2;

/** After this, a process that was asked to end counts as hung. */
const PATIENCE_MS = 60_000;

export class Company {
  readonly file: string;
  readonly random: () => number;
  seats: Seat[] = [];
  readonly history: Writer;
  readonly found: string[] = [];
  readonly #options: CompanyOptions;
  readonly #histories: string;
  readonly #clockFile: string;
  readonly #dead: string[] = [];
  #jumpMs = 0;
  #members = 0;

  constructor(options: CompanyOptions) {
    const { folder, seed } = options;
    this.#options = options;
    this.file = folder.file();
    this.random = randomFrom(seed);
    this.#histories = folder.file('histories');
    mkdirSync(this.#histories, { recursive: true });
    this.#clockFile = folder.file('clock');
    createFileClock(this.#clockFile);
    this.history = new Writer(`${this.#histories}/driver.jsonl`, systemClock.now);
    this.history.write({ jump: 0 });
  }

  /** Starts these processes. They work until `end`. */
  begin(kinds: readonly Kind[]): void {
    this.seats = kinds.map((kind) => this.#start(kind));
    for (const { program } of this.seats) program.go();
  }

  /** Resolves when all of them work. */
  async untilUp(): Promise<void> {
    await Promise.all(this.seats.map(({ program }) => program.ready(UP)));
  }

  /** Starts these processes and lets them open the file at the same time. Resolves when each has done `rounds` and ended. */
  async run(kinds: readonly Kind[], rounds: number): Promise<void> {
    this.seats = kinds.map((kind) => this.#start(kind, rounds));
    await Promise.all(this.seats.map(({ program }) => program.ready(LOADED)));
    for (const { program } of this.seats) program.go();
    await Promise.all(this.seats.map((seat) => this.#untilEnded(seat, rounds)));
    this.seats = [];
  }

  /** Kills the process of a seat, and starts another. `look` runs in between. */
  async kill(seat: Seat, look: () => void = () => {}): Promise<void> {
    this.history.write({ ended: seat.name, killed: true });
    seat.program.kill();
    const { signal } = await seat.program.exited;
    this.history.write({ ended: seat.name, killed: true });
    if (signal !== 'SIGKILL') this.#accuse(seat, 'ended before it was killed');
    this.#dead.push(seat.name);
    look();
    Object.assign(seat, this.#start(seat.kind));
    seat.program.go();
  }

  /** Moves the wall clock of all processes this far from the real one. */
  setClock(jumpMs: number): void {
    // In the history the clock is never behind the time that a process may read.
    if (jumpMs > this.#jumpMs) this.history.write({ jump: jumpMs });
    setFileClock(this.#clockFile, jumpMs);
    if (jumpMs < this.#jumpMs) this.history.write({ jump: jumpMs });
    this.#jumpMs = jumpMs;
  }

  /** Ends all processes, drains the queue, and judges. */
  async end(): Promise<{ found: string[]; deliveries: number; lines: readonly Line[] }> {
    for (const { program } of this.seats) program.finish();
    await Promise.all(this.seats.map((seat) => this.#untilEnded(seat, null)));
    this.#drain();
    this.history.close();
    const db = new Database(this.file);
    const faults = faultsIn(db);
    db.close();
    const lines = readHistories(this.#histories);
    const found = [...this.found, ...faults, ...violations(lines, restOf(this.file))];
    return { found, lines, deliveries: factsOf(lines).deliveries.length };
  }

  /** Ends what still runs. For a test that failed. */
  [Symbol.dispose](): void {
    for (const { program } of this.seats) program.kill();
  }

  #start(kind: Kind, rounds: number | null = null): Seat {
    const {
      seed,
      visibilityMs = 60_000,
      busyTimeoutMs = 5_000,
      groups = 7,
      selfKills = 0,
      env = {},
    } = this.#options;
    const name = `${kind}-${++this.#members}`;
    const args: MemberArguments = {
      file: this.file,
      histories: this.#histories,
      clockFile: this.#clockFile,
      name,
      seed: seed + this.#members,
      durability: this.#options.durability ?? (this.#members % 2 === 0 ? 'full' : 'normal'),
      onThread: kind.endsWith('-thread'),
      visibilityMs,
      busyTimeoutMs,
      dead: [...this.#dead],
      rounds,
      groups,
      killsItself: this.#members <= selfKills,
    };
    return { kind, name, program: new Program(`../../../test/support/${PROGRAMS[kind]}`, args, env) };
  }

  async #untilEnded(seat: Seat, rounds: number | null): Promise<void> {
    const { program } = seat;
    const watchdog = setTimeout(() => program.kill(), PATIENCE_MS);
    const { code, signal } = await program.exited;
    clearTimeout(watchdog);
    this.history.write({ ended: seat.name, killed: false });
    if (code === 0) return;
    if (signal !== 'SIGKILL' || !this.#options.selfKills || rounds === null)
      return this.#accuse(seat, `ended with ${signal ?? code}`);
    Object.assign(seat, this.#start(seat.kind, rounds));
    seat.program.go();
    await this.#untilEnded(seat, rounds);
  }

  #accuse({ name, program }: Seat, what: string): void {
    this.found.push(`${name} ${what}: ${program.errors}`);
  }

  /** A day later every lock has lapsed, so one client gets everything that is left. */
  #drain(): void {
    const clock = new FakeClock(systemClock.now() + this.#jumpMs + DAY_MS);
    this.setClock(this.#jumpMs + DAY_MS);
    const history = new Writer(`${this.#histories}/drain.jsonl`, () => clock.now());
    const queue = recorded(
      new SqliteTransport<string>({ path: this.file, durability: 'normal', clock }),
      history,
    );
    for (let leases = queue.claimMany('drain', DAY_MS, 10); leases.length > 0; )
      leases = queue.ackAndClaimMany(leases, 'drain', DAY_MS, 10).claimed;
    queue.close();
    history.close();
  }
}
