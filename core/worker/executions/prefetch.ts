/**
 * How much to claim beyond the free slots. Without that, quick handlers would cost a commit every `concurrency` messages.
 * Slow handlers must not keep messages from other workers, so only what will start within a few ms is claimed ahead.
 */

const AHEAD_MS = 5;
/** A message that has not started by then is released: handlers have become slower. */
export const MAX_WAIT_MS = 1000;

export class Prefetch {
  /** A moving mean of how long handlers take. Until there is one, nothing is claimed ahead. */
  #meanMs = Number.POSITIVE_INFINITY;

  noteDuration(tookMs: number): void {
    // The first one counts in full, later ones an eighth: one slow handler is enough to claim less for a while.
    this.#meanMs = Number.isFinite(this.#meanMs) ? this.#meanMs + (tookMs - this.#meanMs) / 8 : tookMs;
  }

  /** A message waited too long. */
  noteLateStart(): void {
    this.#meanMs = Math.max(this.#meanMs, MAX_WAIT_MS);
  }

  /** How many messages may be held at once. */
  capacity(concurrency: number): number {
    const ahead = Math.floor((AHEAD_MS * concurrency) / this.#meanMs);
    return concurrency + Math.min(ahead, Math.max(16, 4 * concurrency));
  }
}
