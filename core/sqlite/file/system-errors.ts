/** Translates errors of the operating system into LeaseholdErrors, and finds the one that SQLite or Node does not tell. */
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
  EAGAIN: [
    'CANNOT_OPEN',
    'The system starts no more threads or processes for this user. End some, or raise the limit (ulimit -u).',
  ],
  ENOMEM: ['STORAGE', 'The system has too little memory. Close some programs, and try again.'],
  ENOSPC: ['DISK_FULL', 'The disk is full. Free some space and try again.'],
  EDQUOT: ['DISK_FULL', "The user's share of the disk is full. Free some space and try again."],
  EIO: ['STORAGE', 'The disk or the network drive reported an error. Check it, and open the queue again.'],
};

const NO_WORKING_DIRECTORY: Reason = [
  'CANNOT_OPEN',
  'The working directory of the process was deleted. Change to a folder that exists (process.chdir), and pass an absolute path.',
];

/** Undefined for an error that is not the system's or has no known remedy. */
export function fromSystemError(error: unknown, file: string): LeaseholdError | undefined {
  return withReason(remedyOf(error), error, file);
}

/**
 * Why a thread or process for this file could not be started: `error` is what Node raised, or its text. Undefined when it
 * failed for a reason that is not the system's.
 */
export function fromStartError(error: unknown, file: string): LeaseholdError | undefined {
  return withReason(remedyOf(error) ?? reasonIn(textOf(error)), error, file);
}

/** Starts a thread or process for this file. */
export function startFor<T>(file: string, start: () => T): T {
  try {
    return start();
  } catch (error) {
    throw fromStartError(error, file) ?? error;
  }
}

function withReason(reason: Reason | undefined, error: unknown, file: string): LeaseholdError | undefined {
  if (!reason) return undefined;
  const [code, remedy] = reason;
  return new LeaseholdError(
    code,
    `${shorten(file, LONGEST_SHOWN)}: ${remedy} (${shorten(textOf(error), LONGEST_SHOWN)})`,
    { cause: error },
  );
}

const textOf = (error: unknown): string => (isError(error) ? error.message : String(error));

/** Some errors of Node have the system's reason only in their text. */
function reasonIn(text: string): Reason | undefined {
  if (text.includes('Too many open files')) return REMEDIES.EMFILE;
  const [code = ''] = /\bE[A-Z]{3,}\b/.exec(text) ?? [];
  return REMEDIES[code];
}

/** SQLite opens the file, its log, the log's index and one more at once. */
const DESCRIPTORS = 4;

function needDescriptors(): void {
  const open: number[] = [];
  try {
    while (open.length < DESCRIPTORS) open.push(openSync(devNull, 'r'));
  } finally {
    for (const descriptor of open) closeSync(descriptor);
  }
}

/**
 * Why the system refuses a file that SQLite could not open or write: SQLite says only that it could not. The file itself is
 * not opened, since closing it would drop SQLite's locks on it.
 */
export function systemReason(file: string): Reason | undefined {
  if (!isAbsolute(file)) return undefined;
  try {
    needDescriptors();
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
  if (!isError(error) || !('code' in error)) return undefined;
  // The driver's addon, which the first queue of a process loads.
  if (error.code === 'ERR_DLOPEN_FAILED') return reasonIn(error.message);
  if (!('syscall' in error)) return undefined;
  return error.syscall === 'uv_cwd' ? NO_WORKING_DIRECTORY : REMEDIES[String(error.code)];
}
