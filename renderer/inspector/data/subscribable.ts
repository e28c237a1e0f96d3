/** A value outside React that components read with useSyncExternalStore. */
export abstract class Subscribable {
  readonly #listeners = new Set<() => void>();

  /** Calls the listener after each change. Returns the function that ends the subscription. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.start();
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.stop();
    };
  };

  protected notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** The first listener has subscribed. */
  protected start(): void {}

  /** The last listener has unsubscribed. */
  protected stop(): void {}
}
