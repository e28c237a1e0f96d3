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
  /** Told of each folder that could not be listed and each file that could not be looked at; the walk goes on without. */
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
        else yield* found(root, path, entry, onUnlisted);
      }
    } catch (error) {
      onUnlisted?.(folder || '.', error);
    }
  }
}

async function* found(
  root: string,
  path: string,
  entry: Dirent,
  onUnlisted: WalkOptions['onUnlisted'],
): AsyncGenerator<FoundFile> {
  let stats: Stats;
  try {
    stats = await lstat(join(root, path));
  } catch (error) {
    // A name that is not valid UTF-8 must not vanish without a word, nor a file that may not be looked at count as gone.
    const { code } = error as NodeJS.ErrnoException;
    if (entry.name.includes('\uFFFD')) yield { path, size: 0, mtimeMs: 0 };
    else if (code !== 'ENOENT' && code !== 'ENOTDIR') onUnlisted?.(path, error);
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
