/** Notices when the wall clock was set back, by holding it against the monotonic clock. */
import type { Clock } from '../contract/clock.ts';

/** Below this, a difference may come from the two readings' resolution or from slewing. */
const TOLERANCE_MS = 20;

export class ClockSteps {
  readonly #clock: Clock;
  #offset: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = this.#leastOf(3);
  }

  /** How far the wall clock stepped back since the last call, in ms; 0 when it did not. */
  back(): number {
    let offset = this.#read();
    if (offset > this.#offset + TOLERANCE_MS) offset = Math.min(offset, this.#leastOf(3));
    const step = this.#offset - offset;
    if (step > 0 && step <= TOLERANCE_MS) return 0;
    this.#offset = offset;
    return Math.max(step, 0);
  }

  /** A pause between the two readings can only make the offset too large, so the least of several is the truest. */
  #leastOf(readings: number): number {
    return Math.min(...Array.from({ length: readings }, () => this.#read()));
  }

  #read(): number {
    const monotonic = this.#clock.monotonic();
    return this.#clock.now() - monotonic;
  }
}
