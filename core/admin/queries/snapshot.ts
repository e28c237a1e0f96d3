import type { Database } from 'better-sqlite3';
import type { Names } from '../../sqlite/file/names.ts';

/** What one query reads: a connection inside a transaction, at one moment. */
export interface Snapshot {
  readonly db: Database;
  readonly names: Names;
  /** Epoch seconds, as in the file. */
  readonly now: number;
}
