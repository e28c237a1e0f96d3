/** Reads the status after a change, at most four times a second, and passes it to the listeners. */
import type { FolderIndexStatus } from '../shared/bridge.ts';

const INTERVAL_MS = 250;

type Listener = (status: FolderIndexStatus) => void;

export class StatusFeed {
  readonly #read: () => Promise<FolderIndexStatus>;
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Set<Listener>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(read: () => Promise<FolderIndexStatus>, onError: (error: unknown) => void) {
    this.#read = read;
    this.#onError = onError;
  }

  /** Returns a function that removes the listener. */
  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves with the first status that satisfies the condition. */
  async first(satisfies: (status: FolderIndexStatus) => boolean): Promise<FolderIndexStatus> {
    const { promise, resolve } = Promise.withResolvers<FolderIndexStatus>();
    const off = this.on((status) => {
      if (satisfies(status)) resolve(status);
    });
    this.changed();
    return promise.finally(off);
  }

  /** Bound, so that it can be an event listener. */
  readonly changed = (): void => {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#emit();
    }, INTERVAL_MS);
  };

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  async #emit(): Promise<void> {
    if (this.#listeners.size === 0) return;
    try {
      const status = await this.#read();
      for (const listener of this.#listeners) listener(status);
    } catch (error) {
      if (!this.#isStopped) this.#onError(error);
    }
  }
}
