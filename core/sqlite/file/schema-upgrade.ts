/** Upgrades a file that another program or an earlier version made. */
import type { Database } from 'better-sqlite3';
import { type Names, namesFor } from './names.ts';
import {
  type Column,
  deadLettersTable,
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
 * nothing is missing; the whole schema when the file has no tables. A program that rebuilt a table dropped its triggers and
 * indexes: they are restored as well. This function only reads. (The specification's `sqlite_transport_upgrade`.)
 */
export function sqliteTransportUpgrade(database: Database, tablePrefix?: string): string[] {
  const names = namesFor(tablePrefix);
  if (isComplete(database, names)) return [];
  return [
    ...missing(database, names.messages, LATER_COLUMNS.messages),
    ...missing(database, names.groups, LATER_COLUMNS.groups),
    ...rekeyedDeadLetters(database, names),
    ...triggerNames(names).map((name) => `DROP TRIGGER IF EXISTS ${name}`),
    ...tables(names),
    ...indexes(names),
    ...deriveLocks(names),
    ...triggers(names),
    recordVersion(names),
  ];
}

/** The file has this version's schema, and every index and trigger that Leasehold adds. */
function isComplete(database: Database, names: Names): boolean {
  if (schemaVersion(database, names) !== SCHEMA_VERSION) return false;
  const present = new Set(
    database
      .prepare("SELECT sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND tbl_name IN (?, ?, ?)")
      .pluck()
      .all(names.messages, names.groups, names.deadLetters),
  );
  return (
    [...indexes(names), ...triggers(names)].every((sql) => present.has(asStored(sql))) &&
    missing(database, names.messages, LATER_COLUMNS.messages).length === 0 &&
    missing(database, names.groups, LATER_COLUMNS.groups).length === 0
  );
}

/** SQLite stores the text of a CREATE statement without IF NOT EXISTS. */
export const asStored = (sql: string): string => sql.replace(' IF NOT EXISTS', '');

const triggerNames = (names: Names) => triggers(names).map((sql) => /EXISTS (\w+)/.exec(sql)?.[1] as string);

/** Until schema 2 a dead letter's key was its seq. */
function rekeyedDeadLetters(database: Database, names: Names): string[] {
  const { deadLetters } = names;
  const columns = columnsOf(database, deadLetters);
  if (columns.length === 0 || columns.includes('id')) return [];
  const old = `${deadLetters}_1`;
  const list = columns.join(', ');
  return [
    `ALTER TABLE ${deadLetters} RENAME TO ${old}`,
    deadLettersTable(names),
    `INSERT INTO ${deadLetters} (${list}) SELECT ${list} FROM ${old} ORDER BY seq`,
    `DROP TABLE ${old}`,
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
