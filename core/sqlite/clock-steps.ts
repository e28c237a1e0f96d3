/** Detects that the wall clock stepped back, by comparing it with the monotonic clock. */
import type { Clock } from '../contract/clock.ts';

/** Smaller differences can come from the resolution of the two readings, or from a clock that is slewed. */
const TOLERANCE_MS = 20;

export class ClockSteps {
  readonly #clock: Clock;
  /** Wall clock minus monotonic clock, in ms. */
  #offset: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = this.#leastOf(3);
  }

  /**
   * How far the wall clock stepped back since the last call, in ms; 0 when it did not. `monotonic` must have been read
   * before `now`.
   */
  back({ now, monotonic }: { now: number; monotonic: number }): number {
    let offset = now - monotonic;
    if (offset > this.#offset + TOLERANCE_MS) offset = Math.min(offset, this.#leastOf(3));
    const step = this.#offset - offset;
    if (step > 0 && step <= TOLERANCE_MS) return 0;
    this.#offset = offset;
    return Math.max(step, 0);
  }

  /**
   * A pause between the two readings can only increase the offset, so the least of several readings is the most accurate.
   */
  #leastOf(readings: number): number {
    return Math.min(...Array.from({ length: readings }, () => this.#read()));
  }

  #read(): number {
    const monotonic = this.#clock.monotonic();
    return this.#clock.now() - monotonic;
  }
}
