/**
 * Tells the other transports of this process, on whichever thread, that this one has changed the queue. Without it they would notice
 * only by comparing the data version at intervals.
 */
import { BroadcastChannel } from 'node:worker_threads';
import { systemClock } from '../contract/clock.ts';

/** The least time between two messages: one costs 3 to 9 µs. */
const INTERVAL_MS = 5;

export class Siblings {
  readonly #queue: string;
  readonly #onChange: () => void;
  #channel: BroadcastChannel | undefined;
  /** Until it is called, a message was sent less than INTERVAL_MS ago. */
  #cancel: (() => void) | undefined;
  #hasNews = false;

  /** `queue` is the same in all transports on one queue. `onChange`: another one has changed it. */
  constructor(queue: string, onChange: () => void) {
    this.#queue = queue;
    this.#onChange = onChange;
  }

  /** From now on `onChange` is called. */
  listen(): void {
    this.#open().onmessage = this.#onChange;
  }

  /** Call it after a commit that changed something. The first change is sent at once, those that follow it together. */
  tell(): void {
    if (this.#cancel) {
      this.#hasNews = true;
      return;
    }
    this.#hasNews = false;
    this.#open().postMessage(null);
    this.#cancel = systemClock.after(INTERVAL_MS, () => {
      this.#cancel = undefined;
      if (this.#hasNews) this.tell();
    });
  }

  close(): void {
    this.#cancel?.();
    if (this.#hasNews) this.#open().postMessage(null);
    this.#channel?.close();
  }

  #open(): BroadcastChannel {
    if (!this.#channel) {
      this.#channel = new BroadcastChannel(`leasehold ${this.#queue}`);
      // An idle transport does not keep the process alive.
      this.#channel.unref();
    }
    return this.#channel;
  }
}
