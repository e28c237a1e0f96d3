/** The thread that reads files and writes the index, so that a large file or a slow disk does not block the main process. */
import { workerData } from 'node:worker_threads';
import { serveThread, type ThreadCallContext } from 'leasehold';
import type { FoundFile } from '../shared/found-file.ts';
import { Indexer } from './indexer.ts';
import { type Scan, Store } from './store.ts';

export interface IndexThreadData {
  /** The index's file. */
  readonly path: string;
  /** The binary for better-sqlite3; undefined: its own. */
  readonly nativeBinding: string | undefined;
}

interface ScannedFiles {
  readonly scan: Scan;
  readonly files: readonly FoundFile[];
}

const { path: storePath, nativeBinding } = workerData as IndexThreadData;
const store = new Store(storePath, nativeBinding);
const indexer = new Indexer(store);

const methods = {
  index: ({ root, path }: { readonly root: string; readonly path: string }, { signal }: ThreadCallContext) =>
    indexer.index(root, path, signal),
  startScan: (root: string) => store.startScan(root),
  unpublished: ({ scan, files }: ScannedFiles) => store.unpublished(scan, files),
  recordPublished: ({ scan, files }: ScannedFiles) => store.recordPublished(scan, files),
  finishScan: (scan: Scan) => store.finishScan(scan),
  totals: (root: string) => store.totals(root),
};

export type IndexMethods = typeof methods;

serveThread(methods, () => store.close());
