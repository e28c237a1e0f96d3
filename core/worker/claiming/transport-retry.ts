/** When to try again after the transport failed: after 0.1 s, then twice as long each time, up to 30 s. */
import type { Clock } from '../../contract/clock.ts';

const FIRST_MS = 100;
const LAST_MS = 30_000;

export class Retry {
  readonly #clock: Clock;
  readonly #again: () => void;
  #failures = 0;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, again: () => void) {
    this.#clock = clock;
    this.#again = again;
  }

  /** The transport is left alone for now. */
  get waiting(): boolean {
    return this.#cancel !== null;
  }

  /** Returns how long it will wait, ms. */
  failed(): number {
    const delayMs = Math.min(LAST_MS, FIRST_MS * 2 ** this.#failures++);
    this.#cancel?.();
    this.#cancel = this.#clock.after(delayMs, () => {
      this.#cancel = null;
      this.#again();
    });
    return delayMs;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  end(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
