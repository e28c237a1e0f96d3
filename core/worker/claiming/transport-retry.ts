/** When to use a transport again that failed: after 0.1 s, then twice as long each time, up to 30 s. */
import type { Clock } from '../../contract/clock.ts';

const FIRST_MS = 100;
const MAX_MS = 30_000;

export class TransportRetry {
  readonly #clock: Clock;
  readonly #onRetry: () => void;
  #failures = 0;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, onRetry: () => void) {
    this.#clock = clock;
    this.#onRetry = onRetry;
  }

  /** The transport is not used for now. */
  get isWaiting(): boolean {
    return this.#cancel !== null;
  }

  /** Returns how long it will wait, ms. */
  failed(): number {
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
