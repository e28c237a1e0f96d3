/**
 * The thread that reads, hashes and writes the index, so that neither a big file nor a slow disk holds the windows.
 * Started with the store's path and the addon to open it with.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { serveCalls } from '../main/calls.ts';
import type { FoundFile } from '../main/walk.ts';
import { Indexer } from './indexer.ts';
import { type Scan, Store } from './store.ts';

export interface IndexThreadData {
  readonly path: string;
  readonly nativeBinding: string | undefined;
}

const methodsOver = (indexer: Indexer) => ({
  index: (signal: AbortSignal, root: string, path: string) => indexer.index(root, path, signal),
  startScan: (_: AbortSignal, root: string) => indexer.store.startScan(root),
  unpublished: (_: AbortSignal, scan: Scan, files: readonly FoundFile[]) =>
    indexer.store.unpublished(scan, files),
  remember: (_: AbortSignal, scan: Scan, files: readonly FoundFile[]) => indexer.store.remember(scan, files),
  finishScan: (_: AbortSignal, scan: Scan) => indexer.store.finishScan(scan),
  totals: (_: AbortSignal, root: string) => indexer.store.totals(root),
  close: () => indexer.store.close(),
});

export type IndexMethods = ReturnType<typeof methodsOver>;

// Types of this file are imported outside the thread too, where there is no port.
if (parentPort) {
  const { path, nativeBinding } = workerData as IndexThreadData;
  serveCalls(parentPort, methodsOver(new Indexer(new Store(path, nativeBinding))));
}
