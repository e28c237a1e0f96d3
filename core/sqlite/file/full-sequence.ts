/** Tells a numbering that has reached its end from a full disk: SQLite raises SQLITE_FULL for both. */
import type { Database } from 'better-sqlite3';
import { LeaseholdError } from '../../contract/errors.ts';
import type { Names } from './names.ts';

export function explainFull(error: unknown, db: Database, names: Names): unknown {
  if (!(error instanceof LeaseholdError && error.code === 'DISK_FULL')) return error;
  const table = fullTable(db, names);
  return table === undefined
    ? error
    : new LeaseholdError(
        'STORAGE',
        `${db.name}: ${table} has used its highest possible number, 2^63 - 1: another program wrote it. Remove that row, and set seq of ${table} in the table sqlite_sequence to the highest number that is left.`,
        { cause: error.cause },
      );
}

function fullTable(db: Database, { messages, deadLetters, journal }: Names): string | undefined {
  try {
    return db
      .prepare<string[], string>(
        `SELECT name FROM sqlite_sequence WHERE name IN (?, ?, ?) AND seq = 9223372036854775807
UNION ALL SELECT '${messages}' WHERE (SELECT MAX(seq) FROM ${messages}) = 9223372036854775807`,
      )
      .pluck()
      .get(messages, deadLetters, journal);
  } catch {
    return undefined;
  }
}
