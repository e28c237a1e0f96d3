/**
 * Says whether changes must wait, so that nothing moves under the cursor: while the pointer moves over the rows or is
 * pressed, while keys walk through them, and while a confirmation or a form is open.
 */
export class Hold {
  /** How long a pointer or a key counts as busy after its last movement. */
  static readonly REST_MS = 1500;

  #pressed = false;
  #forms = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #held = false;
  readonly #listeners = new Set<() => void>();

  get held(): boolean {
    return this.#held;
  }

  /** The pointer moved over the rows, or a key moved through them. */
  touched(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#settle();
    }, Hold.REST_MS);
    this.#settle();
  }

  /** The pointer left the rows. */
  left(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#settle();
  }

  pressed(down: boolean): void {
    this.#pressed = down;
    this.#settle();
  }

  /** Holds until what it returns is called; calling that again does nothing. */
  formOpened(): () => void {
    let open = true;
    this.#forms++;
    this.#settle();
    return () => {
      if (!open) return;
      open = false;
      this.#forms--;
      this.#settle();
    };
  }

  /** Called whenever holding begins or ends. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #settle(): void {
    const held = this.#pressed || this.#forms > 0 || this.#timer !== null;
    if (held === this.#held) return;
    this.#held = held;
    for (const listener of this.#listeners) listener();
  }
}
