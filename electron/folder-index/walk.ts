/**
 * Every file below a folder, as a stream: the walk holds the folders it still has to visit, never the files.
 *
 * Symbolic links are not followed. One that points inside the folder names a file that the walk meets anyway, and one
 * that points outside leads where nobody asked it to go; so there are no loops. Whatever else is no folder counts as a
 * file, named pipes and sockets too: that they cannot be read is for the reader to say, where a person will see it.
 */
import type { Dirent, Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

export interface FoundFile {
  /** Relative to the root, with `/` between names on every system. */
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

export interface WalkOptions {
  /** An absolute path that is passed over with all below it: the app's own data. */
  readonly skip?: string | undefined;
  /** Told of each folder that could not be listed; the walk goes on without it. */
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
        else yield* found(root, path, entry);
      }
    } catch (error) {
      onUnlisted?.(folder || '.', error);
    }
  }
}

async function* found(root: string, path: string, entry: Dirent): AsyncGenerator<FoundFile> {
  let stats: Stats;
  try {
    stats = await lstat(join(root, path));
  } catch {
    // Gone since the folder was listed, or a name that is not valid UTF-8; the latter must not vanish without a word.
    if (entry.name.includes('\uFFFD')) yield { path, size: 0, mtimeMs: 0 };
    return;
  }
  yield { path, size: stats.size, mtimeMs: stats.mtimeMs };
}

/** Groups of up to `size`, in order; the last may be smaller. */
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
