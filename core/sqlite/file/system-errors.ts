/** Translates errors of the operating system into LeaseholdErrors, and finds the one that SQLite does not tell. */
import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname, isAbsolute } from 'node:path';
import { type ErrorCode, isError, LeaseholdError, shorten } from '../../contract/errors.ts';

/** A path can be the reason by its length. */
const LONGEST_SHOWN = 300;

const NO_ACCESS =
  'Access was refused. Change the permissions of the file and of the folders above it: SQLite needs to write in its folder.';

export type Reason = readonly [code: ErrorCode, remedy: string];

const REMEDIES: Record<string, Reason> = {
  EACCES: ['CANNOT_OPEN', NO_ACCESS],
  EPERM: ['CANNOT_OPEN', NO_ACCESS],
  EROFS: [
    'READ_ONLY',
    'The file system is mounted read-only. Copy the file to a folder that can be written.',
  ],
  ENOTDIR: ['CANNOT_OPEN', 'A part of the path is not a folder. Pass another path.'],
  EISDIR: ['NOT_A_QUEUE', 'The path is a folder. Pass a file inside it.'],
  ENAMETOOLONG: ['CANNOT_OPEN', 'The path, or a name in it, is too long for the system. Pass a shorter one.'],
  ELOOP: [
    'CANNOT_OPEN',
    'The symbolic links in the path lead in a circle. Correct them, or pass another path.',
  ],
  EMFILE: ['CANNOT_OPEN', 'The process has too many files open. Close some, or raise its limit (ulimit -n).'],
  ENFILE: ['CANNOT_OPEN', 'The system has too many files open. Close some programs, or raise its limit.'],
  ENOSPC: ['DISK_FULL', 'The disk is full. Free some space and try again.'],
  EDQUOT: ['DISK_FULL', "The user's share of the disk is full. Free some space and try again."],
  EIO: ['STORAGE', 'The disk or the network drive reported an error. Check it, and open the queue again.'],
};

/** Undefined for an error that is not the system's or has no known remedy. */
export function fromSystemError(error: unknown, file: string): LeaseholdError | undefined {
  const reason = remedyOf(error);
  return (
    reason &&
    new LeaseholdError(
      reason[0],
      `${shorten(file, LONGEST_SHOWN)}: ${reason[1]} (${shorten((error as Error).message, LONGEST_SHOWN)})`,
      { cause: error },
    )
  );
}

/**
 * Why the system refuses a file that SQLite could not open or write: SQLite says only that it could not. The file itself is
 * not opened, since closing it would drop SQLite's locks on it.
 */
export function systemReason(file: string): Reason | undefined {
  if (!isAbsolute(file)) return undefined;
  try {
    closeSync(openSync(devNull, 'r'));
    if (statSync(file, { throwIfNoEntry: false })) accessSync(file, constants.R_OK | constants.W_OK);
    accessSync(dirname(file), constants.W_OK);
    // The longest of the names that SQLite adds.
    statSync(`${file}-journal`, { throwIfNoEntry: false });
    return undefined;
  } catch (error) {
    return remedyOf(error);
  }
}

function remedyOf(error: unknown): Reason | undefined {
  return isError(error) && 'syscall' in error && 'code' in error ? REMEDIES[String(error.code)] : undefined;
}
