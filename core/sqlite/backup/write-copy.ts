/** Writes a copy of a queue's file. */
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { BadArgument, LeaseholdError } from '../../contract/errors.ts';
import { toLeaseholdError } from '../file/sqlite-errors.ts';

/**
 * Blocks until the copy is on the disk. VACUUM INTO reads one snapshot, so the copy is consistent while others write. (SQLite's
 * backup interface starts again whenever another process commits.) The copy gets its name when it is complete, by a link,
 * which never replaces a file. Raises BAD_ARGUMENT when `target` exists, and errors of SQLite and the system.
 */
export function writeCopy(db: Database, target: string, mode: number): void {
  const folder = dirname(target);
  try {
    requireFolder(folder);
    refuseExisting(target);
    refuseCompanion(target);
    writeUnnamed(db, join(folder, `.${randomUUID()}`), target, mode);
    syncFolder(folder);
  } catch (error) {
    throw toLeaseholdError(error, target);
  }
}

/** Nothing is left of it when it fails. */
function writeUnnamed(db: Database, unnamed: string, target: string, mode: number): void {
  try {
    closeSync(openSync(unnamed, 'wx', mode));
    // The mode of openSync is cut by the umask.
    chmodSync(unnamed, mode);
    db.prepare('VACUUM INTO ?').run(unnamed);
    nameFile(unnamed, target);
  } finally {
    rmSync(unnamed, { force: true });
    rmSync(`${unnamed}-journal`, { force: true });
  }
}

function requireFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new LeaseholdError('CANNOT_OPEN', `${folder} is no folder. Create this folder before the backup.`);
}

/** SQLite takes a file of such a name for its own, and removes it: a journal when the database is opened next. */
function refuseCompanion(target: string): void {
  const [, database] = /^(.+)-(?:wal|shm|journal)$/.exec(target) ?? [];
  if (database !== undefined && statSync(database, { throwIfNoEntry: false }))
    throw new BadArgument(
      `${target} is the name of a file that SQLite makes beside ${database}, and would be removed. Pass another path.`,
    );
}

/** A symbolic link that leads nowhere counts, too. */
function refuseExisting(target: string): void {
  if (lstatSync(target, { throwIfNoEntry: false }))
    throw new BadArgument(`${target} exists, and a backup never replaces a file. Pass another path.`);
}

function nameFile(unnamed: string, target: string): void {
  try {
    linkSync(unnamed, target);
  } catch {
    // It exists by now, or the file system has no links.
    refuseExisting(target);
    renameSync(unnamed, target);
  }
}

/** Without it a power loss may take the name of the copy back. Windows cannot, and need not. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
