/**
 * Runs the admin's reads one at a time, and leaves gaps between them.
 *
 * SQLite cannot restart the log while a read holds its snapshot, and a busy queue adds some 30 MB a second to it. Two rules
 * bound what reads cost, whoever asks for them and however often:
 *
 * - A read consists of steps, each with a snapshot of its own. While the log is too long and grows, a gap follows every step:
 *   time for a checkpoint, and for the write that restarts the log.
 * - A read that repeats the last one of its method is a refresh that nobody waits for. A round of refreshes, at most one of
 *   each method, begins no sooner after the reads before it than RESTS times what those took. Any other read is what a person
 *   asked for, and starts as soon as the running one is over.
 */
import type { Clock } from '../contract/clock.ts';
import type { Steps } from './queries/snapshot.ts';

/** Of the time, refreshes take at most a part of 1 / (RESTS + 1). */
const RESTS = 10;
/** No gap follows a step that took less: so short a snapshot is not in the way of anything. */
const SHORT_STEP_MS = 5;
const GAP_MS = 25;
const LONGEST_GAP_MS = 250;

interface Read {
  readonly method: string;
  readonly argument: string | undefined;
  readonly begin: () => Steps<unknown>;
  readonly answer: Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class PacedReads {
  readonly #clock: Clock;
  readonly #isLogTooLong: () => boolean;
  readonly #waiting: Read[] = [];
  /** By method: the argument of its last read. */
  readonly #last = new Map<string, string | undefined>();
  /** The methods that have been read since the last round of refreshes began. */
  readonly #round = new Set<string>();
  /** When the next round of refreshes may begin: ms of the monotonic clock. */
  #restsUntil = Number.NEGATIVE_INFINITY;
  #isReading = false;
  #isClosing = false;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, isLogTooLong: () => boolean) {
    this.#clock = clock;
    this.#isLogTooLong = isLogTooLong;
  }

  /** False while a read runs, and while a round of refreshes would have to wait. */
  get mayRefresh(): boolean {
    return !this.#isReading && this.#isRested;
  }

  get #isRested(): boolean {
    return this.#isClosing || this.#clock.monotonic() >= this.#restsUntil;
  }

  /** A read that equals a waiting one gets the same answer. `argument` is plain data. */
  run<T>(method: string, argument: unknown, begin: () => Steps<T>): Promise<T> {
    const text = JSON.stringify(argument);
    const same = this.#waiting.find((read) => read.method === method && read.argument === text);
    if (same) return same.answer as Promise<T>;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.push({ method, argument: text, begin, answer: promise, resolve, reject });
    void this.#readAll();
    return promise as Promise<T>;
  }

  /** A person has changed the queue and wants to see the result: the reads that wait, and the next ones, are no refreshes. */
  expectPerson(): void {
    this.#last.clear();
    this.#restsUntil = Number.NEGATIVE_INFINITY;
    // After the answer to the person.
    queueMicrotask(() => void this.#readAll());
  }

  /** Lets all waiting reads run without gaps. */
  hurry(): void {
    this.#isClosing = true;
    void this.#readAll();
  }

  async #readAll(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    this.#cancelTimer?.();
    for (let read = this.#next(); read; read = this.#next()) await this.#read(read);
    this.#isReading = false;
    if (this.#waiting.length === 0) return;
    const restMs = Math.max(0, this.#restsUntil - this.#clock.monotonic());
    this.#cancelTimer = this.#clock.after(restMs, () => void this.#readAll());
  }

  /** Takes the next read that may start: what a person asked for comes first. */
  #next(): Read | undefined {
    const isRefresh = (read: Read) => this.#isRefresh(read);
    let index = this.#waiting.findIndex((read) => !isRefresh(read));
    if (index < 0)
      index = this.#waiting.findIndex(({ method }) => this.#isRested || !this.#round.has(method));
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0];
  }

  #isRefresh({ method, argument }: Read): boolean {
    return this.#last.has(method) && this.#last.get(method) === argument;
  }

  async #read(read: Read): Promise<void> {
    const isRefresh = this.#isRefresh(read);
    if (isRefresh && this.#isRested) this.#round.clear();
    this.#round.add(read.method);
    this.#last.set(read.method, read.argument);
    const steps = read.begin();
    let ms = 0;
    let cost = 0;
    const next = () => {
      const start = this.#clock.monotonic();
      try {
        return steps.next();
      } finally {
        ms = this.#clock.monotonic() - start;
        cost += ms;
      }
    };
    try {
      let step = next();
      while (!step.done) {
        await this.#gap(ms);
        step = next();
      }
      read.resolve(step.value);
    } catch (error) {
      read.reject(error);
    }
    this.#rest(isRefresh, cost);
    await this.#gap(ms);
  }

  /** Refreshes add up within their round; what a person asked for delays the next round by its own time only. */
  #rest(isRefresh: boolean, ms: number): void {
    const now = this.#clock.monotonic();
    const from = isRefresh ? Math.max(now, this.#restsUntil) : now;
    this.#restsUntil = Math.max(this.#restsUntil, from + RESTS * ms);
  }

  async #gap(ms: number): Promise<void> {
    if (ms < SHORT_STEP_MS) return;
    for (
      let waited = 0;
      waited < LONGEST_GAP_MS && !this.#isClosing && this.#isLogTooLong();
      waited += GAP_MS
    )
      await new Promise<void>((resolve) => this.#clock.after(GAP_MS, resolve));
  }
}
