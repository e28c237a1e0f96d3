/** The typed event emitter that everything in core with listeners is built on. */
export class Emitter<Events> {
  readonly #listeners = new Map<keyof Events, Set<(detail: never) => void>>();

  /** A listener that is added twice is called once. */
  on<Name extends keyof Events>(name: Name, listener: (detail: Events[Name]) => void): void {
    const set = this.#listeners.get(name) ?? new Set();
    set.add(listener);
    this.#listeners.set(name, set);
  }

  off<Name extends keyof Events>(name: Name, listener: (detail: Events[Name]) => void): void {
    this.#listeners.get(name)?.delete(listener);
  }

  /** True when the event has a listener; a hot path need not build the detail of an event that has none. */
  has(name: keyof Events): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0;
  }

  /**
   * Calls every listener that was added before this call. An error that a listener throws becomes an uncaught exception: the
   * emitting call has succeeded and must not appear to fail.
   */
  emit<Name extends keyof Events>(name: Name, detail: Events[Name]): void {
    const set = this.#listeners.get(name);
    if (!set) return;
    // All listeners get the same object, and the worker's own is among a transport's.
    Object.freeze(detail);
    for (const listener of [...set]) {
      try {
        (listener as (detail: Events[Name]) => void)(detail);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
