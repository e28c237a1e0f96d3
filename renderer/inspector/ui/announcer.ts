/** Announces sentences to screen readers through the live region, politely. */
export class Announcer {
  #message = '';
  readonly #listeners = new Set<() => void>();

  readonly message = (): string => this.#message;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  announce(message: string): void {
    // A live region is read when its text changes. A no-break space makes a repeated message differ.
    this.#message = message === this.#message ? `${message}\u00a0` : message;
    for (const listener of this.#listeners) listener();
  }
}
