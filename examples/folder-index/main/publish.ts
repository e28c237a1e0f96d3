/** What a message of this app says, and the walk that publishes one for each file that needs reading. */
import { posix } from 'node:path';
import { type AsyncSqliteTransport, Bury, type NewMessage } from '../../../core/index.ts';
import type { IndexMethods } from '../thread/index.thread.ts';
import type { Calls } from './calls.ts';
import { priorityOf } from './kinds.ts';
import { type FoundFile, inBatches, walk } from './walk.ts';

/** The event: which file, and what the walk saw of it for whoever looks on, who sees the first field best. */
export interface FileEvent {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly root: string;
}

/** A message as it came: a person may have edited its event in the inspector. What cannot be meant is buried at once. */
export function checkedEvent(event: unknown): Pick<FileEvent, 'root' | 'path'> {
  const { root, path } = (event ?? {}) as Partial<Record<keyof FileEvent, unknown>>;
  if (typeof root === 'string' && typeof path === 'string' && root && path) return { root, path };
  throw new Bury('The event names no file: it needs "root" and "path".');
}

/** A group for each folder, so that one slow file holds up its neighbours and nobody else. */
export function messageFor(root: string, file: FoundFile): NewMessage<FileEvent> {
  const { path, size, mtimeMs } = file;
  return { groupId: posix.dirname(path), event: { path, size, mtimeMs, root }, priority: priorityOf(path) };
}

export interface WalkAndPublish {
  readonly root: string;
  /** The app's own data, which is not indexed. */
  readonly skip: string;
  readonly queue: AsyncSqliteTransport<FileEvent>;
  readonly index: Calls<IndexMethods>;
  readonly signal: AbortSignal;
  readonly onBatch: () => void;
  readonly onUnlisted: (path: string, error: unknown) => void;
}

/** Enough to make a commit worth its wait, few enough to publish the first files at once. */
const BATCH = 500;

/**
 * Walks the folder and publishes what is new or changed since it was last published. Broken off at any point, the next
 * walk goes on with the rest. See store.ts for why it publishes first and remembers second.
 */
export async function walkAndPublish(options: WalkAndPublish): Promise<void> {
  const { root, skip, queue, index, signal, onBatch } = options;
  const scan = await index.call('startScan', [root]);
  let isWhole = true;
  const onUnlisted = (path: string, error: unknown) => {
    isWhole = false;
    options.onUnlisted(path, error);
  };
  for await (const files of inBatches(walk(root, { skip, signal, onUnlisted }), BATCH)) {
    const fresh = await index.call('unpublished', [scan, files]);
    if (fresh.length > 0) {
      await queue.publishMany(fresh.map((file) => messageFor(root, file)));
      await index.call('remember', [scan, fresh]);
    }
    onBatch();
  }
  // Files of a folder that could not be listed this time may well be there.
  if (isWhole && !signal.aborted) await index.call('finishScan', [scan]);
}
