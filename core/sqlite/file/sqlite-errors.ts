/** What SQLite says when something is wrong with the file or the disk, in Leasehold's words. */
import { type ErrorCode, LeaseholdError } from '../../contract/errors.ts';

/** SQLite's result codes that a person can do something about: primary ones, and extended ones that need other words. */
const REMEDIES: Record<string, readonly [ErrorCode, string]> = {
  SQLITE_BUSY_SNAPSHOT: [
    'BUSY',
    'Another connection wrote since your transaction began to read: begin it with BEGIN IMMEDIATE.',
  ],
  SQLITE_BUSY: [
    'BUSY',
    'Another connection held the write lock past busyTimeoutMs: find it, or wait longer.',
  ],
  SQLITE_LOCKED: ['BUSY', 'This connection is busy with another statement: finish it first.'],
  SQLITE_FULL: [
    'DISK_FULL',
    'The disk (or the database at max_page_count) is full: free some space and try again.',
  ],
  SQLITE_READONLY: ['READ_ONLY', 'The file or its folder may not be written: change its permissions.'],
  SQLITE_CANTOPEN: [
    'CANNOT_OPEN',
    'The file cannot be opened: check that its folder exists and may be written.',
  ],
  SQLITE_PERM: ['CANNOT_OPEN', 'Access to the file was refused: check its permissions.'],
  SQLITE_NOTADB: ['NOT_A_QUEUE', 'The file is no SQLite database: choose another path.'],
  SQLITE_CORRUPT: ['CORRUPT', 'The file is damaged: restore a copy, or start with a new file.'],
};

/** Turns a SqliteError into a LeaseholdError that names the file; leaves every other error as it is. */
export function toLeaseholdError(error: unknown, file: string): unknown {
  if (!isSqliteError(error)) return error;
  const primary = error.code.split('_').slice(0, 2).join('_');
  const [code, remedy] =
    REMEDIES[error.code] ?? REMEDIES[primary] ?? (['STORAGE', 'SQLite could not do it.'] as const);
  return new LeaseholdError(code, `${file}: ${remedy} (${error.code}: ${error.message})`, { cause: error });
}

/** By its code: the class differs between two copies of better-sqlite3 in one process. */
function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_');
}
