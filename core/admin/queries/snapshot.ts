import type { Database } from 'better-sqlite3';
import type { Names } from '../../sqlite/file/names.ts';

/** What one query reads: a connection and the time for which it answers. */
export interface Snapshot {
  readonly db: Database;
  readonly names: Names;
  /** Epoch seconds, as in the file. */
  readonly now: number;
}

/**
 * A query in steps. It holds no snapshot of the file across a `yield`, so what it reads before and after may differ by the
 * writes in between.
 */
export type Steps<T> = Iterator<void, T, void>;

/** A query that reads everything in one snapshot: for what is short and must agree. */
export const oneStep = <T>({ db }: Snapshot, read: () => T): Steps<T> => ({
  next: () => ({ done: true, value: db.transaction(read)() }),
});
