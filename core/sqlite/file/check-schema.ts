/**
 * Refuses a file whose schema would run more than the queue's own statements. A file can come from anybody (the inspector
 * opens it), and SQLite runs what its schema says: a view in place of a table, a trigger, a generated column, a CHECK. One
 * endless query in it can be neither interrupted nor ended with its thread.
 *
 * It reads `sqlite_schema` only, which runs nothing of the file. SQLite itself compares each row there with the statement
 * in it, so name and table can be trusted.
 */
import type Database from 'better-sqlite3';
import { BadArgument, LeaseholdError } from '../../contract/errors.ts';
import { formerTriggersOfSchema2, triggersOfSchema1 } from './former-triggers.ts';
import type { Names } from './names.ts';
import { indexes, triggers } from './schema.ts';
import { asStored } from './schema-upgrade.ts';

interface SchemaObject {
  readonly type: 'table' | 'view' | 'index' | 'trigger';
  readonly name: string;
  readonly table: string;
  /** NULL for the index of a PRIMARY KEY or UNIQUE. */
  readonly sql: string | null;
}

/** Raises NOT_A_QUEUE, or BAD_ARGUMENT where the file's tables spell the prefix in other case. */
export function checkSchema(db: Database.Database, names: Names): void {
  const { messages, groups, deadLetters, journal, meta } = names;
  const ours = [messages, groups, deadLetters, journal, meta];
  const isOurs = (name: string) => ours.some((own) => own.toLowerCase() === name.toLowerCase());
  const refuse = (what: string): never => {
    throw new LeaseholdError(
      'NOT_A_QUEUE',
      `${db.name}: ${what}. The queue's tables may have only what Leasehold and its specification put on them. Remove it, or do not open this file if you do not know who made it.`,
    );
  };

  const read = (schema: string) =>
    db.prepare(`SELECT type, name, tbl_name AS "table", sql FROM ${schema}`).all() as SchemaObject[];
  for (const { type, name, table } of read('sqlite_temp_schema'))
    if (isOurs(name) || isOurs(table)) refuse(`the temporary ${type} "${name}" affects "${table}"`);

  const objects = read('sqlite_schema');
  const known = new Set([
    ...[...triggers(names), ...indexes(names)].map(asStored),
    ...triggersOfSchema1(names),
    ...formerTriggersOfSchema2(names),
  ]);
  for (const { type, name, table, sql } of objects) {
    if (/^pragma_/i.test(name)) refuse(`the ${type} "${name}" hides a function of SQLite`);
    if (isOurs(name) && (type !== 'table' || !/^CREATE TABLE\b/i.test(sql ?? '')))
      refuse(`"${name}" is a ${type === 'table' ? 'virtual table' : type} and not a table`);
    if (isOurs(name)) {
      checkSpelling(db, name, names);
      checkTable(db, name, sql ?? '', refuse);
    }
    if (type === 'table') checkReferences(db, name, isOurs, refuse);
    if (!isOurs(table) || known.has(unquoted(sql))) continue;
    if (type === 'trigger') refuse(`the trigger "${name}" on "${table}" is not Leasehold's`);
    if (type === 'index') checkIndex(db, table, name, refuse);
  }
}

/** Renaming a table to and fro puts its name in quotes. */
const unquoted = (sql: string | null): string => sql?.replaceAll('"', '') ?? '';

type Refuse = (what: string) => never;

/** SQLite compares names without case, so two prefixes that differ only in case would be one queue. */
function checkSpelling(db: Database.Database, name: string, { prefix }: Names): void {
  const found = name.slice(0, prefix.length);
  if (found !== prefix)
    throw new BadArgument(
      `tablePrefix "${prefix}" differs only in case from the "${found}" of ${db.name}, and would be the same queue. Pass "${found}", or another prefix.`,
    );
}

function checkTable(db: Database.Database, table: string, sql: string, refuse: Refuse): void {
  for (const { name, hidden, dflt_value: preset } of pragma(db, 'table_xinfo', table)) {
    if (Number(hidden) !== 0) refuse(`the column "${name}" of "${table}" is generated`);
    // An expression in parentheses is run by every INSERT that leaves the column out.
    if (preset !== null && !/^([-+]?[\w.]+(e[-+]\d+)?|x?'([^']|'')*'|"[^"]*")$/i.test(String(preset)))
      refuse(`the default of the column "${name}" of "${table}" is an expression`);
  }
  // Without comments, strings and quoted names.
  const words = sql.replace(/--[^\n]*|\/\*[\s\S]*?(\*\/|$)|'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]/g, ' ');
  if (/\bCHECK\b/i.test(words)) refuse(`the table "${table}" has a CHECK`);
}

/** With the action of a foreign key, a settle would write to other tables and run their triggers. */
function checkReferences(
  db: Database.Database,
  name: string,
  isOurs: (name: string) => boolean,
  refuse: Refuse,
): void {
  for (const { table } of pragma(db, 'foreign_key_list', name))
    if (isOurs(name) || isOurs(String(table))) refuse(`a foreign key of "${name}" refers to "${table}"`);
}

/**
 * A plain index of another program only costs its writes. A partial index or one of an expression runs what the file says at
 * every write, and a UNIQUE one refuses messages.
 */
function checkIndex(db: Database.Database, table: string, index: string, refuse: Refuse): void {
  const found = pragma(db, 'index_list', table).find(({ name }) => name === index);
  if (found?.origin === 'pk') return;
  if (Number(found?.unique) !== 0) refuse(`the index "${index}" is UNIQUE`);
  if (Number(found?.partial) !== 0) refuse(`the index "${index}" is partial`);
  if (pragma(db, 'index_xinfo', index).some(({ cid }) => Number(cid) === -2))
    refuse(`the index "${index}" is of an expression`);
}

function pragma(db: Database.Database, name: string, of: string): Record<string, unknown>[] {
  return db.pragma(`main.${name}("${of.replaceAll('"', '""')}")`) as Record<string, unknown>[];
}
