import { Subscribable } from './subscribable.ts';

/** Announces sentences to screen readers through the live region, politely. */
export class Announcer extends Subscribable {
  #message = '';

  readonly message = (): string => this.#message;

  announce(message: string): void {
    // A live region is read when its text changes. A no-break space makes a repeated message differ.
    this.#message = message === this.#message ? `${message}\u00a0` : message;
    this.notify();
  }
}
