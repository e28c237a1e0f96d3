/**
 * How much to claim beyond the free slots. Quick handlers would otherwise cost a commit every `concurrency` messages; slow
 * ones must keep nothing from other workers: only what will start within a few ms is claimed ahead.
 */

const AHEAD_MS = 5;
/** What has not started by then is given back: handlers turned out slower than those before them. */
export const WAIT_AT_MOST_MS = 1000;

export class Ahead {
  /** A moving mean of how long handlers take; without one yet, nothing is claimed ahead. */
  #meanMs = Number.POSITIVE_INFINITY;

  note(tookMs: number): void {
    // The first one counts whole, later ones an eighth: one slow handler is enough to be careful for a while.
    this.#meanMs = Number.isFinite(this.#meanMs) ? this.#meanMs + (tookMs - this.#meanMs) / 8 : tookMs;
  }

  /** Something waited too long. */
  noteWaited(): void {
    this.#meanMs = Math.max(this.#meanMs, WAIT_AT_MOST_MS);
  }

  /** How many messages may be held at once. */
  capacity(concurrency: number): number {
    const ahead = Math.floor((AHEAD_MS * concurrency) / this.#meanMs);
    return concurrency + Math.min(ahead, Math.max(16, 4 * concurrency));
  }
}
