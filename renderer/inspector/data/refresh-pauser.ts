import { Subscribable } from './subscribable.ts';

/**
 * Decides whether rows may change on screen. They may not while the pointer moves over them or is pressed, while the cursor
 * moves through them by key, and while a form or a confirmation is open: a click would hit a row that has just moved.
 */
export class RefreshPauser extends Subscribable {
  /** How long a pause lasts after the last movement. */
  static readonly IDLE_MS = 1500;

  #isPressed = false;
  #pauses = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isPaused = false;

  readonly isPaused = (): boolean => this.#isPaused;

  /** The pointer or a key moved over the rows: pauses for IDLE_MS. */
  touch(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#update();
    }, RefreshPauser.IDLE_MS);
    this.#update();
  }

  /** The pointer left the rows: ends the pause that touch() began. */
  leave(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#update();
  }

  /** Pauses while the pointer is pressed. */
  press(isPressed: boolean): void {
    this.#isPressed = isPressed;
    this.#update();
  }

  /** Pauses until the returned function is called. */
  pause(): () => void {
    let isActive = true;
    this.#pauses++;
    this.#update();
    return () => {
      if (!isActive) return;
      isActive = false;
      this.#pauses--;
      this.#update();
    };
  }

  #update(): void {
    const isPaused = this.#isPressed || this.#pauses > 0 || this.#timer !== null;
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    this.notify();
  }
}
