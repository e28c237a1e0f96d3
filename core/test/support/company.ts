/** Many processes on one queue, and what troubles them. Afterwards their histories are judged. */
import { mkdirSync } from 'node:fs';
import Database from 'better-sqlite3';
import { systemClock } from '../../contract/clock.ts';
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
  readonly kinds: readonly Kind[];
  readonly seed: number;
  readonly visibilityMs?: number;
  /** The environment of the processes, beside this one's. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Seat {
  readonly kind: Kind;
  name: string;
  program: Program;
}

const HOUR_MS = 3_600_000;
/** After this, a process that was asked to end counts as hung. */
const PATIENCE_MS = 60_000;

export class Company {
  readonly file: string;
  readonly random: () => number;
  readonly seats: Seat[];
  readonly history: Writer;
  readonly found: string[] = [];
  readonly #options: CompanyOptions;
  readonly #histories: string;
  readonly #clockFile: string;
  readonly #dead: string[] = [];
  #jumpMs = 0;
  #members = 0;

  constructor(options: CompanyOptions) {
    const { folder, kinds, seed } = options;
    this.#options = options;
    this.file = folder.file();
    this.random = randomFrom(seed);
    this.#histories = folder.file('histories');
    mkdirSync(this.#histories, { recursive: true });
    this.#clockFile = folder.file('clock');
    createFileClock(this.#clockFile);
    this.history = new Writer(`${this.#histories}/driver.jsonl`, systemClock.now);
    this.history.write({ jump: 0 });
    this.seats = kinds.map((kind) => this.#start(kind));
  }

  /** Kills the process of a seat, and starts another. */
  async kill(seat: Seat): Promise<void> {
    this.history.write({ ended: seat.name, killed: true });
    seat.program.kill();
    const { signal } = await seat.program.exited;
    if (signal !== 'SIGKILL')
      this.found.push(`${seat.name} ended before it was killed: ${seat.program.errors}`);
    this.#dead.push(seat.name);
    Object.assign(seat, this.#start(seat.kind));
  }

  /** Moves the wall clock of all processes this far from the real one. */
  setClock(jumpMs: number): void {
    // In the history the clock is never behind the time that a process may read.
    if (jumpMs > this.#jumpMs) this.history.write({ jump: jumpMs });
    setFileClock(this.#clockFile, jumpMs);
    if (jumpMs < this.#jumpMs) this.history.write({ jump: jumpMs });
    this.#jumpMs = jumpMs;
  }

  /** Ends each process when it works, and starts another: it starts faster, from what the first one compiled. */
  async rehearse(): Promise<void> {
    await Promise.all(
      this.seats.map(async (seat) => {
        await seat.program.ready();
        await this.#end(seat);
        Object.assign(seat, this.#start(seat.kind));
      }),
    );
  }

  /** Ends all processes, drains the queue, and judges. */
  async end(): Promise<{ found: string[]; deliveries: number; lines: readonly Line[] }> {
    await Promise.all(this.seats.map((seat) => this.#end(seat)));
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

  #start(kind: Kind): Seat {
    const { seed, visibilityMs = 60_000, env = {} } = this.#options;
    const name = `${kind}-${++this.#members}`;
    const args: MemberArguments = {
      file: this.file,
      histories: this.#histories,
      clockFile: this.#clockFile,
      name,
      seed: seed + this.#members,
      durability: this.#members % 2 === 0 ? 'full' : 'normal',
      onThread: kind.endsWith('-thread'),
      visibilityMs,
      dead: [...this.#dead],
      rounds: null,
    };
    const program = new Program(`../../../test/support/${PROGRAMS[kind]}`, args, env);
    return { kind, name, program };
  }

  async #end({ program, name }: Seat): Promise<void> {
    program.go();
    const watchdog = setTimeout(() => program.kill(), PATIENCE_MS);
    const { code, signal } = await program.exited;
    clearTimeout(watchdog);
    this.history.write({ ended: name, killed: false });
    if (code !== 0) this.found.push(`${name} ended with ${signal ?? code}: ${program.errors}`);
  }

  /** An hour later every lock has lapsed, so one client gets everything that is left. */
  #drain(): void {
    const clock = new FakeClock(systemClock.now() + this.#jumpMs + HOUR_MS);
    this.setClock(this.#jumpMs + HOUR_MS);
    const history = new Writer(`${this.#histories}/drain.jsonl`, () => clock.now());
    const queue = recorded(
      new SqliteTransport<string>({ path: this.file, durability: 'normal', clock }),
      history,
    );
    for (let leases = queue.claimMany('drain', HOUR_MS, 10); leases.length > 0; )
      leases = queue.ackAndClaimMany(leases, 'drain', HOUR_MS, 10).claimed;
    queue.close();
    history.close();
  }
}
