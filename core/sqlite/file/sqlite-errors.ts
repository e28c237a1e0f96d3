/** Translates SQLite's errors about the file and the disk into LeaseholdErrors. */

import { type ErrorCode, isError, LeaseholdError } from '../../contract/errors.ts';
import { fromSystemError, systemReason } from './system-errors.ts';

const NO_LOCKS =
  'The file system does not lock files, as some network drives do not. Put the queue on a local disk.';

const UNFINISHED =
  'This connection is busy with another statement. Finish that statement first: read all its rows, or end its iterator.';

/** The primary result codes for which a remedy exists, and the extended codes whose remedy differs. */
const REMEDIES: Record<string, readonly [ErrorCode, string]> = {
  SQLITE_BUSY_SNAPSHOT: [
    'BUSY',
    'Another connection wrote after your transaction began to read. Begin the transaction with BEGIN IMMEDIATE.',
  ],
  SQLITE_READONLY_DBMOVED: [
    'FILE_REPLACED',
    'The file was moved or deleted while it was open. Close what uses it before you move it, and open it again.',
  ],
  SQLITE_BUSY: [
    'BUSY',
    'Another connection held the write lock for longer than busyTimeoutMs. Find that connection, or wait longer.',
  ],
  SQLITE_LOCKED: ['BUSY', UNFINISHED],
  SQLITE_FULL: [
    'DISK_FULL',
    'The disk is full, or the database has reached max_page_count. Free some space and try again.',
  ],
  SQLITE_READONLY_DIRECTORY: [
    'READ_ONLY',
    'Its folder is not writable. SQLite keeps the index of the log there, also for a reader, unless another process has the file open. Make the folder writable, or copy the file into one that is.',
  ],
  SQLITE_READONLY: ['READ_ONLY', 'The file or its folder is not writable. Change its permissions.'],
  SQLITE_CANTOPEN: [
    'CANNOT_OPEN',
    'The file, its log (-wal) or the index of the log (-shm) cannot be opened. Check that their folder exists, and the permissions of all of them.',
  ],
  SQLITE_PERM: ['CANNOT_OPEN', 'Access to the file was refused. Check its permissions.'],
  SQLITE_NOTADB: ['NOT_A_QUEUE', 'The file is not a SQLite database. Pass another path.'],
  SQLITE_CORRUPT: ['CORRUPT', 'The file is damaged. Restore a copy, or start with a new file.'],
  SQLITE_NOMEM: ['STORAGE', 'The process has too little memory. Close something, and try again.'],
  SQLITE_IOERR_NOMEM: ['STORAGE', 'The process has too little memory. Close something, and try again.'],
  SQLITE_IOERR_VNODE: [
    'FILE_REPLACED',
    'The file was moved or deleted while it was open. Close what uses it before you move it, and open it again.',
  ],
  SQLITE_IOERR_LOCK: ['STORAGE', NO_LOCKS],
  SQLITE_IOERR_RDLOCK: ['STORAGE', NO_LOCKS],
  SQLITE_IOERR_UNLOCK: ['STORAGE', NO_LOCKS],
  SQLITE_IOERR_CHECKRESERVEDLOCK: ['STORAGE', NO_LOCKS],
  SQLITE_IOERR_SHMLOCK: ['STORAGE', NO_LOCKS],
  SQLITE_IOERR_CORRUPTFS: ['STORAGE', 'The file system is damaged. Have the system check it.'],
  // Not damage: the content of the file is not known to be wrong.
  SQLITE_IOERR: [
    'STORAGE',
    'The disk or the network drive reported an error. Check it, and open the queue again. A call that was committing may or may not have taken effect.',
  ],
};

/** The codes behind which the system has a reason that SQLite does not tell. */
const UNEXPLAINED = ['SQLITE_CANTOPEN', 'SQLITE_READONLY', 'SQLITE_PERM'];

/** Returns a LeaseholdError that names the file for an error of SQLite or the system, and every other error unchanged. */
export function toLeaseholdError(error: unknown, file: string): unknown {
  if (isBusyConnection(error)) return new LeaseholdError('BUSY', `${file}: ${UNFINISHED}`, { cause: error });
  if (!isSqliteError(error)) return fromSystemError(error, file) ?? error;
  const primary = error.code.split('_').slice(0, 2).join('_');
  const [code, remedy] =
    (UNEXPLAINED.includes(error.code) && systemReason(file)) ||
    (REMEDIES[error.code] ??
      REMEDIES[primary] ?? ['STORAGE', 'SQLite raised an error that has no known remedy.']);
  return new LeaseholdError(code, `${file}: ${remedy} (${error.code}: ${error.message})`, { cause: error });
}

/** better-sqlite3 refuses writes with a TypeError of its own while the app iterates over a statement on its connection. */
function isBusyConnection(error: unknown): boolean {
  return isError(error) && error.message === 'This database connection is busy executing a query';
}

/** Checks the code, since two copies of better-sqlite3 in one process have different error classes. */
function isSqliteError(error: unknown): error is Error & { code: string } {
  return isError(error) && 'code' in error && String(error.code).startsWith('SQLITE_');
}
