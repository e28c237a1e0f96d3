/** Creates a queue's file with its permissions, before SQLite opens it. */
import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, linkSync, openSync, readlinkSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Only the user of the process reads and writes what Leasehold creates. */
export const DEFAULT_FILE_MODE = 0o600;

/**
 * Creates an empty file unless there is one. SQLite gives the log and its index the mode of the file. Whatever prevents it,
 * such as a folder without permission, is left to SQLite's own opening, whose error the caller gets. Windows has no modes.
 *
 * The file is made under another name and gets its own by a link, which never replaces a file. Made at its place, it would
 * have to be closed here while another thread may have opened it, and a close drops all POSIX locks that the process has on
 * the file. A mode set after SQLite created the file would come too late for a reader that opened it in between.
 */
export function createFile(path: string, mode: number): void {
  if (process.platform === 'win32') return;
  const target = followLinks(path);
  const unnamed = join(dirname(target), `.${randomUUID()}`);
  try {
    closeSync(openSync(unnamed, 'wx', mode));
    // The mode of openSync is cut by the umask.
    chmodSync(unnamed, mode);
    linkSync(unnamed, target);
  } catch {
    // Another opener was faster, or SQLite will raise the reason.
  } finally {
    rmSync(unnamed, { force: true });
  }
}

/** The file that SQLite creates for a symbolic link to a file that does not exist: realpath refuses such a link. */
function followLinks(path: string): string {
  let target = path;
  try {
    for (let links = 0; links < 40; links++) target = resolve(dirname(target), readlinkSync(target));
  } catch {
    // Not a link.
  }
  return target;
}
