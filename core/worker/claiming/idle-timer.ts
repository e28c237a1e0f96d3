/**
 * Wakes an idle worker when the earliest lock ends. Without a lock there is no timer. All other wake-ups come from transport
 * events and from the poll for writes by others.
 *
 * Locks end by the wall clock, and timers follow the monotonic one, so a timer may come too early or too late. Too early: the
 * lock is asked for again. Too late: `wakeIfOverdue` finds it, and without a poll the longest sleep ends.
 */
import type { Clock } from '../../contract/clock.ts';

/** Where nothing polls, the time that is left is computed again after at most this long. */
const MAX_SLEEP_MS = 300_000;

/**
 * How long to wait when a lock has expired and the last claim did not take its message, the first time and at most. Without a
 * wait: a busy loop.
 */
const EXPIRED_RETRY_MS = 20;
const MAX_EXPIRED_RETRY_MS = 1000;

export class IdleTimer {
  readonly #clock: Clock;
  readonly #onWake: () => void;
  /** Epoch ms; Infinity: nothing to wait for. Null while the worker is not idle. */
  #until: number | null = null;
  /** The earliest end of a lock that was reported since `expectAnswer`, epoch ms. */
  #reported = Number.POSITIVE_INFINITY;
  /** The expired lock that the last claims did not take, and how often in a row. */
  #expired = { until: Number.NaN, times: 0 };
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, onWake: () => void) {
    this.#clock = clock;
    this.#onWake = onWake;
  }

  /** The transport is about to be asked for the earliest lock. What is reported until it answers counts too. */
  expectAnswer(): void {
    this.#reported = Number.POSITIVE_INFINITY;
  }

  /** Sleeps until this lock ends (epoch ms), or an earlier one that was reported; null: no lock. */
  sleepUntil(expiry: number | null): void {
    const until = Math.min(expiry ?? Number.POSITIVE_INFINITY, this.#reported);
    if (until === this.#until) return;
    this.stop();
    this.#until = until;
    if (until !== Number.POSITIVE_INFINITY) this.#arm(until);
  }

  /** A group is locked until then, epoch ms. */
  report(expiry: number): void {
    this.#reported = Math.min(this.#reported, expiry);
    if (this.#until !== null && expiry < this.#until) this.sleepUntil(expiry);
  }

  /** Wakes when the lock has ended before its timer: the computer slept, or the wall clock was set forward. */
  wakeIfOverdue(): void {
    if (this.#cancel && this.#until !== null && this.#clock.now() > this.#until && !this.#isRetrying)
      this.#wake();
  }

  /** The worker is not idle any more. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#until = null;
  }

  get #isRetrying(): boolean {
    return this.#expired.until === this.#until;
  }

  #arm(until: number): void {
    // A lock is still held at exactly its expiry.
    const left = until - this.#clock.now() + 1;
    const sleepMs = left > 0 ? Math.min(MAX_SLEEP_MS, left) : this.#expiredRetryMs(until);
    this.#cancel = this.#clock.after(sleepMs, () => this.#wake());
  }

  #wake(): void {
    this.stop();
    this.#until = Number.POSITIVE_INFINITY;
    this.#onWake();
  }

  #expiredRetryMs(until: number): number {
    const times = this.#isRetrying ? this.#expired.times : 0;
    this.#expired = { until, times: times + 1 };
    return Math.min(MAX_EXPIRED_RETRY_MS, EXPIRED_RETRY_MS * 2 ** times);
  }
}
