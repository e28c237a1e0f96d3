/** Limits the waits of an opening, which runs several statements that can wait for another connection's lock. */
import type { Database } from 'better-sqlite3';
import type { Clock } from '../../contract/clock.ts';

export class OpeningDeadline {
  readonly #clock: Clock;
  readonly #end: number;

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#end = clock.monotonic() + timeoutMs;
  }

  get leftMs(): number {
    return Math.max(0, Math.ceil(this.#end - this.#clock.monotonic()));
  }

  /** Lets the next statement wait for what is left of the opening's time. */
  limitNext(db: Database): void {
    db.pragma(`busy_timeout = ${this.leftMs}`);
  }
}
