/** A small typed emitter. */
export class Emitter<Events> {
  readonly #listeners = new Map<keyof Events, Set<(detail: never) => void>>();

  on<Name extends keyof Events>(name: Name, listener: (detail: Events[Name]) => void): void {
    const set = this.#listeners.get(name) ?? new Set();
    set.add(listener);
    this.#listeners.set(name, set);
  }

  off<Name extends keyof Events>(name: Name, listener: (detail: Events[Name]) => void): void {
    this.#listeners.get(name)?.delete(listener);
  }

  /** True when somebody listens: lets a hot path skip making the detail. */
  has(name: keyof Events): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0;
  }

  /**
   * Calls every listener. What one throws is raised on its own, as an uncaught error: the emitting call has done its
   * work and must not be made to look as if it had failed.
   */
  emit<Name extends keyof Events>(name: Name, detail: Events[Name]): void {
    const set = this.#listeners.get(name);
    if (!set) return;
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
