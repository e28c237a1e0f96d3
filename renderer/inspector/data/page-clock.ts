import { Subscribable } from './subscribable.ts';

/**
 * The queue's time, in steps of one second. All ages on the page read the same value, so no two of them disagree. The
 * timer runs only while there are subscribers.
 */
export class PageClock extends Subscribable {
  #skew = 0;
  #now = Date.now();
  #timer: ReturnType<typeof setTimeout> | null = null;

  readonly now = (): number => this.#now;

  /** Follows the queue's clock. Differences below one second are the transit time of the reply, not skew. */
  correct(queueNow: number): void {
    const skew = queueNow - Date.now();
    if (Math.abs(skew - this.#skew) < 1000) return;
    this.#skew = skew;
    if (this.#timer !== null) this.#tick();
  }

  protected override start(): void {
    this.#tick();
  }

  protected override stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  readonly #tick = (): void => {
    this.#now = Date.now() + this.#skew;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#tick, 1000 - (this.#now % 1000));
    this.notify();
  };
}
