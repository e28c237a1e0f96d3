/**
 * Warns when another SQLite library of this process has the queue's file open: a second copy of better-sqlite3, node:sqlite,
 * or one in native code. POSIX locks belong to the process, so neither sees the locks of the other, and the first to close
 * its last connection deletes the log into which the other still commits.
 *
 * A library opens the index of the log once for each file, however many connections it has. Two descriptors of it therefore
 * mean two libraries. (A list of loaded libraries could only say that another one is there, perhaps for other files.) What
 * cannot be noticed: a library that opens and closes the file between two looks, and a mere copy of the file, which needs
 * no index. On Windows a lock belongs to its handle, and there is nothing to notice.
 */
import { identityOf } from './open-descriptors.ts';

let hasWarned = false;

/** `open`: how often each file is open. */
export function warnOfSecondLibrary(file: string, open: ReadonlyMap<string, number> | undefined): void {
  const index = identityOf(`${file}-shm`);
  if (hasWarned || !open || !index || (open.get(index) ?? 0) < 2) return;
  hasWarned = true;
  process.emitWarning(
    `Two SQLite libraries of this process have ${file} open, for example two copies of better-sqlite3, or node:sqlite. They do not see each other's locks, and commits will be lost. Open the file with one library only, or from another process; \`npm ls better-sqlite3\` lists the copies.`,
    { type: 'LeaseholdWarning', code: 'LEASEHOLD_SECOND_SQLITE' },
  );
}
