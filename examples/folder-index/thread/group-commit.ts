/** Collects what arrives while one commit runs into the next: under load many rows share the wait for the disk. */
export class GroupCommit<T> {
  readonly #commit: (items: readonly T[]) => void;
  #waiting: { item: T; resolve(): void; reject(error: unknown): void }[] = [];

  constructor(commit: (items: readonly T[]) => void) {
    this.#commit = commit;
  }

  /** Resolves once the item's commit is done; rejects, with all of the same commit, when it fails. */
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
