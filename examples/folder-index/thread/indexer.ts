/** Reads files and writes their rows to the index. Runs on a thread: see index.thread.ts. */
import { kindOf } from '../shared/kinds.ts';
import { GroupCommit } from './group-commit.ts';
import { locate, readFacts } from './read.ts';
import type { IndexedFile, Store } from './store.ts';

export class Indexer {
  readonly #store: Store;
  readonly #rows: GroupCommit<IndexedFile>;

  constructor(store: Store) {
    this.#store = store;
    this.#rows = new GroupCommit((files) => store.put(files));
  }

  /**
   * Updates the row of one file. Resolves when the row is committed, already matches the file, or is deleted because the file is
   * gone. Rejects if the file cannot be read.
   */
  async index(root: string, path: string, signal?: AbortSignal): Promise<'written' | 'known' | 'gone'> {
    const isKnown = (size: number, mtimeMs: number) => this.#store.has(root, path, size, mtimeMs);
    const facts = await readFacts(locate(root, path), isKnown, signal);
    if (facts === 'known') return 'known';
    if (facts === null) {
      this.#store.remove(root, path);
      return 'gone';
    }
    await this.#rows.add({ root, path, kind: kindOf(path), ...facts });
    return 'written';
  }
}
