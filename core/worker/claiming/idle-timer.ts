/**
 * What wakes a worker that found nothing to claim, besides what this process's transport tells: the end of the earliest
 * lock, and another process's write to the file. Without locks and with `pollMs` 0 there is no timer at all.
 */
import type { Clock } from '../../contract/clock.ts';

/**
 * Timers stand still while the computer sleeps and the wall clock does not. Where nobody tells that it slept, a wait is
 * looked at again after at most this long.
 */
const LONGEST_MS = 300_000;

const LAPSED_MS = 20;

export class Doze {
  readonly #clock: Clock;
  readonly #pollMs: number;
  readonly #wake: () => void;
  readonly #poll: () => void;
  #until = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | null = null;
  #cancelPoll: (() => void) | null = null;

  /** `wake`: a lock has ended; `poll`: time to look whether somebody else wrote. */
  constructor(clock: Clock, pollMs: number, wake: () => void, poll: () => void) {
    this.#clock = clock;
    this.#pollMs = pollMs;
    this.#wake = wake;
    this.#poll = poll;
  }

  /** Sleeps until this time (epoch ms; null: until something else happens). */
  until(expiry: number | null): void {
    const at = expiry ?? Number.POSITIVE_INFINITY;
    if (at !== this.#until) {
      this.#cancel?.();
      this.#cancel = null;
      this.#until = at;
      if (expiry !== null) this.#arm(expiry);
    }
    this.#armPoll();
  }

  /** A lock that ends earlier than the one waited for. */
  hear(expiry: number): void {
    if (this.#cancelled || expiry >= this.#until) return;
    this.until(expiry);
  }

  /** Wakes by nothing any more, until told to sleep again. */
  off(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#cancelPoll?.();
    this.#cancelPoll = null;
    this.#until = Number.NEGATIVE_INFINITY;
  }

  get #cancelled(): boolean {
    return this.#until === Number.NEGATIVE_INFINITY;
  }

  #arm(expiry: number): void {
    // A lock is still held at exactly its expiry. One that has lapsed and was not claimed a moment ago is not raced after.
    const left = expiry - this.#clock.now() + 1;
    const ms = left > 0 ? Math.min(LONGEST_MS, left) : LAPSED_MS;
    this.#cancel = this.#clock.after(ms, () => {
      this.#cancel = null;
      this.#until = Number.POSITIVE_INFINITY;
      this.#wake();
    });
  }

  #armPoll(): void {
    if (this.#pollMs === 0 || this.#cancelPoll) return;
    this.#cancelPoll = this.#clock.after(this.#pollMs, () => {
      this.#cancelPoll = null;
      this.#armPoll();
      this.#poll();
    });
  }
}
