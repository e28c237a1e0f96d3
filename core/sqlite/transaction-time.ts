/** The time of each transaction, and the locks of this engine after the wall clock stepped back. */
import type { Clock } from '../contract/clock.ts';
import { ClockSteps } from './clock-steps.ts';
import type { IssuedLock } from './verbs/issued-locks.ts';
import type { VerbContext } from './verbs/verb-context.ts';

export class TransactionTime {
  readonly #clock: Clock;
  readonly #context: VerbContext;
  readonly #shortenLocks: () => Map<IssuedLock, number>;
  readonly #steps: ClockSteps;
  #isBehind = false;

  constructor(clock: Clock, context: VerbContext, shortenLocks: () => Map<IssuedLock, number>) {
    this.#clock = clock;
    this.#context = context;
    this.#shortenLocks = shortenLocks;
    this.#steps = new ClockSteps(clock);
  }

  /** The wall clock stepped back, and no commit has adjusted the locks yet. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /**
   * Call it first in each transaction, under the write lock: a time that was read while waiting for the lock could be earlier
   * than another writer's commit.
   */
  read(): void {
    // In this order: see ClockSteps.
    const monotonic = this.#clock.monotonic();
    this.#context.time = { now: this.#clock.now(), monotonic };
  }

  /**
   * Call it after `read` in each transaction of our own. Shortens this engine's locks after a step, in the same transaction, so
   * that a call waits for the lock once. Inside a caller's transaction this is deferred: a rollback would silently undo it.
   */
  follow(): void {
    this.#isBehind = this.#steps.back(this.#context.time) > 0 || this.#isBehind;
    if (!this.#isBehind) return;
    const shortened = this.#shortenLocks();
    this.#context.afterCommit(() => {
      this.#isBehind = false;
      for (const [lock, expiresAt] of shortened) lock.expiresAt = expiresAt;
    });
  }
}
