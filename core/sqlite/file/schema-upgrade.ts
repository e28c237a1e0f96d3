/** Upgrades a file that another program or an earlier version made. */
import type { Database } from 'better-sqlite3';
import { type Names, namesFor } from './names.ts';
import {
  type Column,
  deriveLocks,
  indexes,
  LATER_COLUMNS,
  recordVersion,
  SCHEMA_VERSION,
  tables,
  triggers,
} from './schema.ts';

/**
 * The statements that bring the file of `database` to this version, to be run in order in one transaction: `ALTER TABLE …
 * ADD COLUMN` for each missing column (SQLite has no IF NOT EXISTS there), then tables, indexes and triggers. Empty when
 * nothing is missing; the whole schema when the file has no tables. This function only reads. (The specification's
 * `sqlite_transport_upgrade`.)
 */
export function sqliteTransportUpgrade(database: Database, tablePrefix?: string): string[] {
  const names = namesFor(tablePrefix);
  if (schemaVersion(database, names) === SCHEMA_VERSION) return [];
  const alterations = [
    ...missing(database, names.messages, LATER_COLUMNS.messages),
    ...missing(database, names.groups, LATER_COLUMNS.groups),
  ];
  return [
    ...alterations,
    ...tables(names),
    ...indexes(names),
    ...triggers(names),
    deriveLocks(names),
    recordVersion(names),
  ];
}

function missing(database: Database, table: string, columns: readonly Column[]): string[] {
  const present = columnsOf(database, table);
  if (present.length === 0) return [];
  return columns
    .filter(({ name }) => !present.includes(name))
    .map(({ name, type }) => `ALTER TABLE ${table} ADD COLUMN ${name} ${type}`);
}

export function columnsOf(database: Database, table: string): string[] {
  return database.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[];
}

/** The version of Leasehold's additions in the file; 0 when it has none. */
export function schemaVersion(database: Database, { meta }: Names): number {
  if (columnsOf(database, meta).length === 0) return 0;
  const value = database.prepare(`SELECT value FROM ${meta} WHERE key = 'schema_version'`).pluck().get();
  return typeof value === 'number' ? value : Number(value ?? 0);
}
