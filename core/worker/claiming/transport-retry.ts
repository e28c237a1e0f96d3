/** When to use a transport again that failed: after 0.1 s, then twice as long each time, up to 30 s. */
import type { Clock } from '../../contract/clock.ts';

const FIRST_MS = 100;
const MAX_MS = 30_000;

export class TransportRetry {
  readonly #clock: Clock;
  readonly #onRetry: () => void;
  #failures = 0;
  #isGivenUp = false;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, onRetry: () => void) {
    this.#clock = clock;
    this.#onRetry = onRetry;
  }

  /** The transport is not used for now. */
  get isWaiting(): boolean {
    return this.#cancel !== null;
  }

  /** The worker is about to end: a failure is not followed by a retry. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  giveUp(): void {
    this.#isGivenUp = true;
    this.stop();
  }

  /** Returns how many ms it waits; null without a retry. */
  failed(): number | null {
    if (this.#isGivenUp) return null;
    const delayMs = Math.min(MAX_MS, FIRST_MS * 2 ** this.#failures++);
    this.#cancel?.();
    this.#cancel = this.#clock.after(delayMs, () => {
      this.#cancel = null;
      this.#onRetry();
    });
    return delayMs;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
