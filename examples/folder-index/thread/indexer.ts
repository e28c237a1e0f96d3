/** Reads files and keeps what they hold in the store. Runs in a thread of its own: see index.thread.ts. */

import { kindOf } from '../main/kinds.ts';
import { GroupCommit } from './group-commit.ts';
import { locate, readFacts } from './read.ts';
import type { IndexedFile, Store } from './store.ts';

export class Indexer {
  readonly store: Store;
  readonly #rows: GroupCommit<IndexedFile>;

  constructor(store: Store) {
    this.store = store;
    this.#rows = new GroupCommit((files) => store.put(files));
  }

  /**
   * Brings one path of the index up to date. Done when it resolves: the row is committed, or was there before, or the
   * file is gone and its row with it. Raises what keeps the file from being read.
   */
  async index(root: string, path: string, signal?: AbortSignal): Promise<'written' | 'known' | 'gone'> {
    const isKnown = (size: number, mtimeMs: number) => this.store.has(root, path, size, mtimeMs);
    const facts = await readFacts(locate(root, path), isKnown, signal);
    if (facts === 'known') return 'known';
    if (facts === null) {
      this.store.forget(root, path);
      return 'gone';
    }
    await this.#rows.add({ root, path, kind: kindOf(path), ...facts });
    return 'written';
  }
}
