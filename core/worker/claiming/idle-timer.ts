/**
 * Wakes an idle worker when the earliest lock ends. Without a lock there is no timer. All other wake-ups come from transport
 * events and from the poll for writes by others.
 */
import type { Clock } from '../../contract/clock.ts';

/**
 * Timers stand still while the computer sleeps, and the wall clock does not. Where no event reports the sleep, the time
 * that is left is computed again after at most this long.
 */
const MAX_SLEEP_MS = 300_000;

/** How long to wait when a lock has expired and the last claim did not take its message. Without a wait: a busy loop. */
const EXPIRED_RETRY_MS = 20;

export class IdleTimer {
  readonly #clock: Clock;
  readonly #onWake: () => void;
  /** Epoch ms; Infinity: nothing to wait for. Null while the worker is not idle. */
  #until: number | null = null;
  /** The earliest end of a lock that was reported since `expectAnswer`, epoch ms. */
  #reported = Number.POSITIVE_INFINITY;
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

  /** The worker is not idle any more. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#until = null;
  }

  #arm(until: number): void {
    // A lock is still held at exactly its expiry.
    const left = until - this.#clock.now() + 1;
    this.#cancel = this.#clock.after(left > 0 ? Math.min(MAX_SLEEP_MS, left) : EXPIRED_RETRY_MS, () => {
      this.#cancel = null;
      this.#until = Number.POSITIVE_INFINITY;
      this.#onWake();
    });
  }
}
