/**
 * Streams every file below a folder. Memory holds the folders that are still to visit, never all files.
 *
 * Symbolic links are not followed: a link into the folder leads to a file that the walk finds anyway, and a link out of it leads
 * to files that the user did not choose. This also excludes loops. Named pipes and sockets count as files: reading them fails,
 * and the failure is visible in the queue.
 */
import type { Dirent, Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FoundFile } from '../shared/found-file.ts';

export interface WalkOptions {
  /** The absolute path of a folder to skip: the app's own data. */
  readonly skip?: string | undefined;
  /** Called for each folder and file that cannot be accessed. The walk continues without it. */
  readonly onUnlisted?: ((path: string, error: unknown) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function* walk(root: string, options: WalkOptions = {}): AsyncGenerator<FoundFile> {
  const { skip, onUnlisted, signal } = options;
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    try {
      for await (const entry of await opendir(join(root, folder))) {
        if (signal?.aborted) return;
        const path = folder ? `${folder}/${entry.name}` : entry.name;
        if (entry.isSymbolicLink() || join(root, path) === skip) continue;
        if (entry.isDirectory()) folders.push(path);
        else yield* withStats(root, path, entry, onUnlisted);
      }
    } catch (error) {
      onUnlisted?.(folder || '.', error);
    }
  }
}

async function* withStats(
  root: string,
  path: string,
  entry: Dirent,
  onUnlisted: WalkOptions['onUnlisted'],
): AsyncGenerator<FoundFile> {
  let stats: Stats;
  try {
    stats = await lstat(join(root, path));
  } catch (error) {
    // A file that is gone is ignored. A name that is not valid UTF-8 also appears as gone, but it must fail visibly.
    const { code } = error as NodeJS.ErrnoException;
    if (entry.name.includes('\uFFFD')) yield { path, size: 0, mtimeMs: 0 };
    else if (code !== 'ENOENT' && code !== 'ENOTDIR') onUnlisted?.(path, error);
    return;
  }
  yield { path, size: stats.size, mtimeMs: stats.mtimeMs };
}

/** Collects up to `size` items a batch, in order. The last batch may be smaller. */
export async function* inBatches<T>(source: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of source) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
