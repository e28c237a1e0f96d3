/** The app's messages, and the walk that publishes one for each file to read. */
import { posix } from 'node:path';
import { type AsyncSqliteTransport, Bury, type NewMessage, type ThreadClient } from 'leasehold';
import type { FoundFile } from '../shared/found-file.ts';
import { priorityOf } from '../shared/kinds.ts';
import type { IndexMethods } from '../thread/index.thread.ts';
import { inBatches, walk } from './walk.ts';

/** Names a file. The inspector's list shows the start of the event, so the path is the first field. */
export interface FileEvent {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly root: string;
}

/** Checks an event, which an operator may have edited in the inspector. An event that names no file is buried at once. */
export function checkedEvent(event: unknown): Pick<FileEvent, 'root' | 'path'> {
  const { root, path } = (event ?? {}) as Partial<Record<keyof FileEvent, unknown>>;
  if (typeof root === 'string' && typeof path === 'string' && root && path) return { root, path };
  throw new Bury('The event must have "root" and "path".');
}

/** Each folder is a group, so a slow file delays only the files beside it. */
export function messageFor(root: string, file: FoundFile): NewMessage<FileEvent> {
  const { path, size, mtimeMs } = file;
  return { groupId: posix.dirname(path), event: { path, size, mtimeMs, root }, priority: priorityOf(path) };
}

export interface WalkAndPublish {
  readonly root: string;
  /** The folder of the app's own data, which is not indexed. */
  readonly skip: string;
  readonly queue: AsyncSqliteTransport<FileEvent>;
  readonly index: ThreadClient<IndexMethods>;
  readonly signal: AbortSignal;
  readonly onBatch: () => void;
  readonly onUnlisted: (path: string, error: unknown) => void;
}

/** Large enough to share the cost of a commit, small enough to publish the first files at once. */
const BATCH = 500;

/**
 * Walks the folder and publishes the files that are new or changed since their last publish. After an interruption the next
 * walk publishes the rest. store.ts explains why a batch is published before it is recorded.
 */
export async function walkAndPublish(options: WalkAndPublish): Promise<void> {
  const { root, skip, queue, index, signal, onBatch } = options;
  const scan = await index.call('startScan', root);
  let isWhole = true;
  const onUnlisted = (path: string, error: unknown) => {
    isWhole = false;
    options.onUnlisted(path, error);
  };
  for await (const files of inBatches(walk(root, { skip, signal, onUnlisted }), BATCH)) {
    const fresh = await index.call('unpublished', { scan, files });
    if (fresh.length > 0) {
      await queue.publishMany(fresh.map((file) => messageFor(root, file)));
      await index.call('recordPublished', { scan, files: fresh });
    }
    onBatch();
  }
  // A folder that could not be listed may still hold its files, so they stay in the index.
  if (isWhole && !signal.aborted) await index.call('finishScan', scan);
}
