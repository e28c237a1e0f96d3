/**
 * Keeps the worker out of a transaction that the app has open on the connection of their transport: with a rollback, claims
 * and settles would be taken back while handlers run. SQLite does not tell when a transaction ends, so this looks often.
 */
import type { Clock } from '../../contract/clock.ts';
import type { Transport } from '../../contract/transport.ts';

const LOOK_AGAIN_MS = 5;

export class CallersTransaction {
  readonly #transport: Pick<Transport, 'inCallersTransaction'>;
  readonly #clock: Clock;
  readonly #onEnd: () => void;
  #cancel: (() => void) | null = null;

  constructor(transport: Pick<Transport, 'inCallersTransaction'>, clock: Clock, onEnd: () => void) {
    this.#transport = transport;
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  /** The transport must not be used now. `onEnd` is called when it can be. */
  get isOpen(): boolean {
    if (this.#transport.inCallersTransaction !== true) return false;
    this.#cancel ??= this.#clock.after(LOOK_AGAIN_MS, () => {
      this.#cancel = null;
      if (!this.isOpen) this.#onEnd();
    });
    return true;
  }

  /** Resolves with true when no transaction of the app is open, or with false when one still is at this monotonic time. */
  async untilEnded(deadline = Number.POSITIVE_INFINITY): Promise<boolean> {
    while (this.#transport.inCallersTransaction === true) {
      if (this.#clock.monotonic() >= deadline) return false;
      await new Promise<void>((resolve) => this.#clock.after(LOOK_AGAIN_MS, resolve));
    }
    return true;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
