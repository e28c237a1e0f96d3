/**
 * The queue's time, as a value that changes once a second for everybody at once, so that no two ages on the page
 * disagree. It runs only while somebody looks.
 */
export class Clock {
  #skew = 0;
  #now = Date.now();
  #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #listeners = new Set<() => void>();

  readonly now = (): number => this.#now;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#timer === null) this.#tick();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0 || this.#timer === null) return;
      clearTimeout(this.#timer);
      this.#timer = null;
    };
  };

  /** Follows the queue's own clock; less than a second is the way over here, not a difference. */
  correct(queueNow: number): void {
    const skew = queueNow - Date.now();
    if (Math.abs(skew - this.#skew) < 1000) return;
    this.#skew = skew;
    this.#tick();
  }

  #tick(): void {
    this.#now = Date.now() + this.#skew;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tick(), 1000 - (this.#now % 1000));
    for (const listener of this.#listeners) listener();
  }
}
