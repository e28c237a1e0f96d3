/** Notices that the wall clock gained on the monotonic clock: the computer slept, or the clock was set forward. */
import type { Clock } from '../contract/clock.ts';

/** Smaller differences come from the two readings, and from the system adjusting its clock. */
const MIN_GAP_MS = 1000;

export class ClockJumps {
  readonly #clock: Clock;
  #offset: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = clock.now() - clock.monotonic();
  }

  /** A turn would find a gap. */
  get hasJumped(): boolean {
    return this.#clock.now() - this.#clock.monotonic() - this.#offset >= MIN_GAP_MS;
  }

  /** By how many ms the wall clock has jumped ahead since the last call; 0 when it has not. `monotonic`: read just now. */
  gap(monotonic: number): number {
    const offset = this.#clock.now() - monotonic;
    const gapMs = offset - this.#offset;
    this.#offset = offset;
    return gapMs < MIN_GAP_MS ? 0 : gapMs;
  }
}
