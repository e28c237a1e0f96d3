/** One timer for everything that falls due while messages are held. */
import type { Clock } from '../../contract/clock.ts';

export class DueTimer {
  readonly #clock: Clock;
  readonly #onFire: () => void;
  #dueAt = Number.POSITIVE_INFINITY;
  #fired = false;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, onFire: () => void) {
    this.#clock = clock;
    this.#onFire = onFire;
  }

  /** It has fired and was not set again since: it will not fire a second time by itself. */
  get fired(): boolean {
    return this.#fired;
  }

  isDue(monotonic: number): boolean {
    return this.#fired || monotonic >= this.#dueAt;
  }

  /** Makes sure that it fires at this monotonic time or earlier. */
  fireBy(at: number): void {
    if (at >= this.#dueAt) return;
    this.clear();
    this.#dueAt = at;
    // A timer may fire a little early by the monotonic clock, so `fired` counts and not the time at which it fires.
    this.#cancel = this.#clock.after(Math.max(1, at - this.#clock.monotonic()), () => {
      this.#fired = true;
      this.#onFire();
    });
  }

  /** Sets it for the earliest of these times, but no earlier than `notBefore` (monotonic ms). */
  reset(times: readonly number[], notBefore = 0): void {
    let next = Number.POSITIVE_INFINITY;
    for (const at of times) next = Math.min(next, at);
    this.clear();
    if (next < Number.POSITIVE_INFINITY) this.fireBy(Math.max(next, notBefore));
  }

  clear(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#fired = false;
  }
}
