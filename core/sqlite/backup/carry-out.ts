/** Writes a copy over a connection of its own. */
import { openFile } from '../file/open-file.ts';
import { toLeaseholdError } from '../file/sqlite-errors.ts';
import { writeCopy } from './write-copy.ts';

export interface BackupOrder {
  readonly source: string;
  /** Which file the source must be (see open-descriptors.ts). */
  readonly identity?: string | undefined;
  readonly target: string;
  /** The permissions of the copy. */
  readonly fileMode: number;
}

/** Blocks until the copy is on the disk. */
export function carryOut({ source, identity, target, fileMode }: BackupOrder): void {
  const db = openFile(source, { readonly: true, ...(identity === undefined ? {} : { identity }) });
  try {
    db.pragma('synchronous = FULL');
    // On macOS a plain fsync does not reach the disk.
    db.pragma('fullfsync = ON');
    writeCopy(db, target, fileMode);
  } catch (error) {
    throw toLeaseholdError(error, source);
  } finally {
    db.close();
  }
}
