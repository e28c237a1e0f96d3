import type { Database } from 'better-sqlite3';
import { LeaseholdError } from '../../contract/errors.ts';
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

/** A row that one statement of a snapshot found and another does not: an index and its table disagree. */
export function damaged({ db }: Snapshot, what: string): LeaseholdError {
  return new LeaseholdError(
    'CORRUPT',
    `${db.name}: The file is damaged: an index names ${what}, which is not in its table. Run REINDEX on it, restore a copy, or start with a new file.`,
  );
}
