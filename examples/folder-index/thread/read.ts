/** Reads one file, a piece at a time: its size, time and SHA-256. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isAbsolute, join, normalize, sep } from 'node:path';

export interface FileFacts {
  readonly size: number;
  readonly mtimeMs: number;
  readonly sha256: string;
}

const CHUNK = 256 * 1024;

/** Where the walk's `path` lies. Refuses one that leads out of the root: a person may have edited the message. */
export function locate(root: string, path: string): string {
  const local = normalize(path);
  if (isAbsolute(local) || local === '..' || local.startsWith(`..${sep}`) || path.includes('\0'))
    throw new Error(`${JSON.stringify(path)} is not a path inside ${root}.`);
  return join(root, local);
}

/**
 * The file's facts; null when it is gone, and 'known', unread, when `isKnown` says so. Raises what keeps it from being
 * read.
 *
 * O_NONBLOCK: to open a named pipe that nobody writes to would wait for ever. O_NOFOLLOW: a file that was replaced by
 * a link since the walk must not lead out of the folder. Neither exists on Windows, and neither is needed there.
 */
export async function readFacts(
  file: string,
  isKnown: (size: number, mtimeMs: number) => boolean,
  signal?: AbortSignal,
): Promise<FileFacts | 'known' | null> {
  let handle: FileHandle;
  try {
    const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
    handle = await open(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  } catch (error) {
    if (isGone(error, file)) return null;
    throw new Error(`Cannot open it: ${(error as Error).message}`, { cause: error });
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error(`Not a regular file: a ${whatItIs(stats)}.`);
    if (isKnown(stats.size, stats.mtimeMs)) return 'known';
    const hash = createHash('sha256');
    let size = 0;
    const buffer = Buffer.allocUnsafe(CHUNK);
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(buffer, 0, CHUNK);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
      size += bytesRead;
    }
    // The size is what was read and hashed; a file that grew meanwhile has a newer time, and the next walk sees it.
    return { size, mtimeMs: stats.mtimeMs, sha256: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}

/** A name with U+FFFD was not valid UTF-8 and cannot be opened by it: that is unreadable, not gone. */
function isGone(error: unknown, file: string): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return (code === 'ENOENT' || code === 'ENOTDIR') && !file.includes('\uFFFD');
}

function whatItIs(stats: { isFIFO(): boolean; isSocket(): boolean; isDirectory(): boolean }): string {
  if (stats.isFIFO()) return 'named pipe';
  if (stats.isSocket()) return 'socket';
  return stats.isDirectory() ? 'folder' : 'device';
}
