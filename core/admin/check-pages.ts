/** Checks the pages of a file that somebody else made. */
import type { Database } from 'better-sqlite3';
import { LeaseholdError } from '../contract/errors.ts';
import { toLeaseholdError } from '../sqlite/file/sqlite-errors.ts';

/**
 * Raises CORRUPT for a file in which a page is referred to twice. A few such pages make a tree that takes years to read, and a
 * thread inside SQLite cannot be interrupted. The check itself visits each page once.
 */
export function checkPages(db: Database): void {
  let found: unknown;
  try {
    found = db.pragma('quick_check(1)', { simple: true });
  } catch (error) {
    throw toLeaseholdError(error, db.name);
  }
  if (found !== 'ok')
    throw new LeaseholdError(
      'CORRUPT',
      `${db.name}: The file is damaged. Do not use it. (${String(found).trim()})`,
    );
}
