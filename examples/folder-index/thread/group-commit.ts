/** Commits all items of one round of the event loop together: under load many rows share one wait for the disk. */
export class GroupCommit<T> {
  readonly #commit: (items: readonly T[]) => void;
  #waiting: { item: T; resolve(): void; reject(error: unknown): void }[] = [];

  constructor(commit: (items: readonly T[]) => void) {
    this.#commit = commit;
  }

  /** Resolves after the commit. If the commit fails, every item in it rejects. */
  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ item, resolve, reject }) === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      this.#commit(batch.map(({ item }) => item));
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const { resolve } of batch) resolve();
  }
}
