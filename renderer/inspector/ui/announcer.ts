/** Says a sentence to a screen reader, politely. */
export class Speaker {
  #said = '';
  readonly #listeners = new Set<() => void>();

  readonly said = (): string => this.#said;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  say(sentence: string): void {
    // A live region speaks when its text changes: the same sentence twice needs a difference nobody hears.
    this.#said = sentence === this.#said ? `${sentence}\u00a0` : sentence;
    for (const listener of this.#listeners) listener();
  }
}
