/** Reads the size, modification time and SHA-256 of a file, in chunks. */
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

/** The absolute path of a file. Throws if `path` leaves the root: an operator may have edited the message. */
export function locate(root: string, path: string): string {
  const local = normalize(path);
  if (isAbsolute(local) || local === '..' || local.startsWith(`..${sep}`) || path.includes('\0'))
    throw new Error(`${JSON.stringify(path)} is not a path inside ${root}.`);
  return join(root, local);
}

/**
 * Resolves with null if the file is gone, and with 'known', without reading, if `isKnown` returns true. Rejects if the file cannot
 * be read.
 *
 * O_NONBLOCK: opening a named pipe without a writer would block forever. O_NOFOLLOW: a link that replaced the file after the walk
 * must not lead out of the folder. Windows has neither flag and needs neither.
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
    throw new Error(`The file cannot be opened: ${(error as Error).message}`, { cause: error });
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error(`Not a regular file: a ${typeName(stats)}.`);
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
    // The size is the number of bytes hashed. A file that grew meanwhile has a newer time, so the next walk publishes it again.
    return { size, mtimeMs: stats.mtimeMs, sha256: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}

/** A name with U+FFFD was not valid UTF-8. The file exists but cannot be opened by that name. */
function isGone(error: unknown, file: string): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return (code === 'ENOENT' || code === 'ENOTDIR') && !file.includes('\uFFFD');
}

function typeName(stats: { isFIFO(): boolean; isSocket(): boolean; isDirectory(): boolean }): string {
  if (stats.isFIFO()) return 'named pipe';
  if (stats.isSocket()) return 'socket';
  return stats.isDirectory() ? 'folder' : 'device';
}
