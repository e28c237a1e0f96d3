/**
 * How a connection of Leasehold's own waits for the locks of other connections: within one call no longer than
 * busyTimeoutMs, however many statements of the call wait. On a thread, a call that was queued has waited as well while one
 * before it did. What the thread worked does not count: after a long queue, a call would otherwise raise BUSY because of a lock
 * that another connection holds for a moment.
 *
 * SQLite's own wait is per statement, and not fair: its sleeps grow to 100 ms, while the connection that commits takes the lock
 * again at once. With six writers one of them got a single turn in five seconds. The sleeps here are short and random, and
 * a connection that writes without a pause leaves the lock free for a moment now and then.
 */
import type { Database, Statement } from 'better-sqlite3';
import { systemClock } from '../contract/clock.ts';

const SHORTEST_SLEEP_MS = 0.3;
const LONGEST_SLEEP_MS = 1.5;

/** A connection that has written for so long without a pause, while others write too, lets them go first. */
const TURN_MS = 5;
/** Long enough for every waiting connection to try once. */
const FREE_MS = LONGEST_SLEEP_MS;
/** In how many transactions to look for other writers while there was none: a look takes 4 µs, a reading of the clock 0.2. */
const TRANSACTIONS_PER_LOOK = 64;
/** A time without a transaction that counts as a pause. */
const PAUSE_MS = 0.5;

/** Times of systemClock.monotonic. */
interface Wait {
  readonly from: number;
  to: number;
}

export class LockWait {
  readonly #timeoutMs: number;
  readonly #dataVersion: Statement<[], number>;
  /** Those of the call, and those that ended after it was made. In their order. */
  readonly #waits: Wait[] = [];
  /** Null where calls are not queued. */
  #madeAt: number | null = null;
  /** Whether another connection has written lately, or has made this one wait. */
  #hasOthers = false;
  #transactions = 0;
  #turnSince = 0;
  #lastEnd = 0;
  #version: number;

  /** From now on SQLite itself does not wait on this connection. */
  constructor(db: Database, timeoutMs: number) {
    db.pragma('busy_timeout = 0');
    this.#timeoutMs = timeoutMs;
    this.#dataVersion = db.prepare<[], number>('PRAGMA data_version').pluck();
    this.#version = this.#dataVersion.get() as number;
  }

  /** All waits until the next startCall share the timeout. Waits that a queued call shares are kept until callsMadeAt. */
  startCall(): void {
    if (this.#madeAt === null) this.#waits.length = 0;
  }

  /**
   * The calls that follow were made at `time` and have been queued since. Call it in the order of the times. (A call of the
   * thread's own, by a timer, counts as made with the last one.)
   */
  callsMadeAt(time: number): void {
    this.#madeAt = time;
    while (this.#waits[0] && this.#waits[0].to <= time) this.#waits.shift();
  }

  /** Counts the time from `start` until now as a wait: SQLite itself has waited for locks. */
  hasWaitedFrom(start: number): void {
    this.#waits.push({ from: start, to: systemClock.monotonic() });
  }

  /** Whether a call that was made at `time` has waited for as long as it may. */
  isOver(time: number): boolean {
    const waited = this.#waits.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, time)), 0);
    return waited >= this.#timeoutMs;
  }

  /**
   * Runs `attempt` again until no other connection prevents it, at least once. Raises SQLITE_BUSY when the call's time is over.
   */
  until<T>(attempt: () => T): T {
    let wait: Wait | undefined;
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error) || this.#timeoutMs === 0) throw error;
        this.#hasOthers = true;
        wait ??= this.#startWait();
        if (this.isOver(this.#madeAt ?? -Infinity)) throw error;
        sleep(SHORTEST_SLEEP_MS + Math.random() * (LONGEST_SLEEP_MS - SHORTEST_SLEEP_MS));
        wait.to = systemClock.monotonic();
      }
    }
  }

  #startWait(): Wait {
    const now = systemClock.monotonic();
    const wait = { from: now, to: now };
    this.#waits.push(wait);
    return wait;
  }

  /** Call it before each BEGIN. */
  beforeTransaction(): void {
    if (++this.#transactions >= TRANSACTIONS_PER_LOOK) this.#hasOthers = this.#othersWrote();
    if (!this.#hasOthers) return;
    const now = systemClock.monotonic();
    if (now - this.#lastEnd > PAUSE_MS) this.#turnSince = now;
    else if (now - this.#turnSince > TURN_MS) this.#endTurn();
  }

  /** Call it after each COMMIT or ROLLBACK. */
  afterTransaction(): void {
    if (this.#hasOthers) this.#lastEnd = systemClock.monotonic();
  }

  #endTurn(): void {
    sleep(FREE_MS);
    this.#hasOthers = this.#othersWrote();
    this.#turnSince = systemClock.monotonic();
  }

  /** Since the last call. */
  #othersWrote(): boolean {
    const before = this.#version;
    this.#version = this.#dataVersion.get() as number;
    this.#transactions = 0;
    return this.#version !== before;
  }
}

function isBusy(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'SQLITE_BUSY' || code === 'SQLITE_BUSY_RECOVERY';
}

const never = new Int32Array(new SharedArrayBuffer(4));

function sleep(ms: number): void {
  Atomics.wait(never, 0, 0, ms);
}
