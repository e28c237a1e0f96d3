/** Translates SQLite's errors about the file and the disk into LeaseholdErrors. */
import { type ErrorCode, LeaseholdError } from '../../contract/errors.ts';

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
  SQLITE_LOCKED: ['BUSY', 'This connection is busy with another statement. Finish that statement first.'],
  SQLITE_FULL: [
    'DISK_FULL',
    'The disk is full, or the database has reached max_page_count. Free some space and try again.',
  ],
  SQLITE_READONLY: ['READ_ONLY', 'The file or its folder is not writable. Change its permissions.'],
  SQLITE_CANTOPEN: [
    'CANNOT_OPEN',
    'The file cannot be opened. Check that its folder exists and is writable.',
  ],
  SQLITE_PERM: ['CANNOT_OPEN', 'Access to the file was refused. Check its permissions.'],
  SQLITE_NOTADB: ['NOT_A_QUEUE', 'The file is not a SQLite database. Pass another path.'],
  SQLITE_CORRUPT: ['CORRUPT', 'The file is damaged. Restore a copy, or start with a new file.'],
};

/** Returns a LeaseholdError that names the file for a SqliteError, and every other error unchanged. */
export function toLeaseholdError(error: unknown, file: string): unknown {
  if (!isSqliteError(error)) return error;
  const primary = error.code.split('_').slice(0, 2).join('_');
  const [code, remedy] =
    REMEDIES[error.code] ??
    REMEDIES[primary] ??
    (['STORAGE', 'SQLite raised an error that has no known remedy.'] as const);
  return new LeaseholdError(code, `${file}: ${remedy} (${error.code}: ${error.message})`, { cause: error });
}

/** Checks the code, since two copies of better-sqlite3 in one process have different error classes. */
function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_');
}
