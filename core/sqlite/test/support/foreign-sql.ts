/**
 * Random statements of another program that knows only the specification's two tables. `:now` stands for the clock's time in
 * epoch seconds when the statement runs.
 */
import type { Database } from 'better-sqlite3';
import type { Dice } from './dice.ts';
import { SPECIFIED_TABLES } from './specified-sql.ts';

export const MESSAGES = 'harel_transport_messages';
export const GROUPS = 'harel_transport_groups';

export interface ForeignStatement {
  readonly sql: string;
  /**
   * False for a statement that reads Leasehold's additions, or changes the tables themselves: it cannot run in a file that
   * has the specification's tables only.
   */
  readonly plain?: boolean;
}

const FEW_GROUPS = ["'a'", "'b'", "'c'", "'d'"];
const ODD_GROUPS = [
  "'7'",
  '8',
  "''",
  "'a b'",
  "'é'",
  "X'61'",
  "CAST(X'67FF' AS TEXT)",
  "'n' || char(0) || 'l'",
];
const EVENTS = ["'1'", "'2'", '\'{"n":3}\'', '4'];
const ODD_EVENTS = ["'not JSON'", "''", "X'31'", "CAST(X'22FF22' AS TEXT)", "'null'"];
const SEQS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
const ODD_SEQS = [
  '0',
  '-1',
  '-7',
  '100',
  '9007199254740991',
  '9007199254740992',
  '9223372036854775807',
  '-9007199254740993',
];
const HOLDERS = ["'other'", "'other'", "'__parked__'", "'w'", "'v'"];
const ODD_HOLDERS = ["''", "X'77'", '7', "'__PARKED__'"];
const EXPIRIES = [
  ':now',
  ':now + 1',
  ':now + 30',
  ':now + 3600',
  ':now - 1',
  ':now - 3600',
  ':now + 0.0000005',
];
const ODD_EXPIRIES = [
  "'later'",
  "X'FF'",
  'NULL',
  '9e999',
  '-9e999',
  '0',
  ':now * 1000',
  "'1700000100'",
  '-1',
];
const TURNS = ['0', ':now', ':now - 10', ':now + 10', ':now + 3600'];
const ODD_TURNS = [':now * 1000', "'soon'", "X'00'", '9e999', '-9e999', '-1', '1e15', '1e300'];
const PRIORITIES = ['0', '1', '2', '4'];
const ODD_PRIORITIES = [
  '2.5',
  "'high'",
  "'3'",
  '9007199254740993',
  '-3',
  '9e999',
  "X'01'",
  '9223372036854775807',
];
const KEYS = ['NULL', "'x'", "'y'"];
const ODD_KEYS = ["''", "X'78'", '5', "'x' || char(0)"];

/** Mostly one of the first values, at times one that only a careless program would write. */
const value = (dice: Dice, usual: readonly string[], odd: readonly string[]): string =>
  dice.pick(dice.once(6) ? odd : usual);

const group = (dice: Dice) => value(dice, FEW_GROUPS, ODD_GROUPS);
const event = (dice: Dice) => value(dice, EVENTS, ODD_EVENTS);
const seq = (dice: Dice) => value(dice, SEQS, dice.once(3) ? ODD_SEQS : SEQS);
const expiry = (dice: Dice) => value(dice, EXPIRIES, ODD_EXPIRIES);
const holder = (dice: Dice) => value(dice, HOLDERS, ODD_HOLDERS);
const turn = (dice: Dice) => value(dice, TURNS, ODD_TURNS);
const priority = (dice: Dice) => value(dice, PRIORITIES, ODD_PRIORITIES);
const key = (dice: Dice) => value(dice, KEYS, ODD_KEYS);
const freeOr = (dice: Dice, lock: string) => (dice.once(3) ? 'NULL' : lock);

/** A seq beside those in the table: in front of all, behind all, in front of a group's head. */
const placedSeq = (dice: Dice): string =>
  dice.weighed<() => string>([
    [4, () => seq(dice)],
    [2, () => `(SELECT MIN(seq) - 1 FROM ${MESSAGES})`],
    [1, () => `(SELECT MAX(seq) + 1 FROM ${MESSAGES})`],
    [2, () => `(SELECT MIN(seq) - 1 FROM ${MESSAGES} WHERE group_id = ${group(dice)})`],
  ])();

/** Which messages a statement is about. */
const someMessages = (dice: Dice): string =>
  dice.weighed<() => string>([
    [4, () => `WHERE seq = ${seq(dice)}`],
    [2, () => `WHERE group_id = ${group(dice)}`],
    [2, () => `WHERE seq = (SELECT MIN(seq) FROM ${MESSAGES} WHERE group_id = ${group(dice)})`],
    [2, () => `WHERE seq = (SELECT MAX(seq) FROM ${MESSAGES} WHERE group_id = ${group(dice)})`],
    [2, () => `WHERE locked_by ${dice.pick(['IS NOT NULL', 'IS NULL', "= 'w'", "= '__parked__'"])}`],
    [1, () => ''],
  ])();

const someGroups = (dice: Dice): string =>
  dice.once(8) ? '' : `WHERE group_id ${dice.once(6) ? '<>' : '='} ${group(dice)}`;

const orReplace = (dice: Dice, verb: string): string =>
  dice.once(3) ? dice.pick([`${verb} OR REPLACE`, `${verb} OR IGNORE`]) : verb;

const insertMessage = (dice: Dice): string => {
  const row = (columns: readonly string[]) =>
    columns
      .map((column) => {
        if (column === 'seq') return placedSeq(dice);
        if (column === 'group_id') return group(dice);
        if (column === 'event') return event(dice);
        return freeOr(dice, column === 'locked_by' ? holder(dice) : expiry(dice));
      })
      .join(', ');
  const columns = dice.pick([
    ['group_id', 'event'],
    ['seq', 'group_id', 'event'],
    ['seq', 'group_id', 'event'],
    ['group_id', 'event', 'locked_by', 'lock_expiry'],
    ['seq', 'group_id', 'event', 'locked_by', 'lock_expiry'],
  ]);
  const rows = Array.from({ length: dice.once(5) ? 3 : 1 }, () => `(${row(columns)})`).join(', ');
  const withUpsert = columns[0] === 'seq' && dice.once(5);
  const upsert = withUpsert
    ? ` ON CONFLICT (seq) DO UPDATE SET group_id = excluded.group_id, locked_by = ${freeOr(dice, holder(dice))}, lock_expiry = ${expiry(dice)}`
    : '';
  const verb = withUpsert ? 'INSERT' : dice.once(6) ? 'REPLACE' : orReplace(dice, 'INSERT');
  const insert = `${verb} INTO ${MESSAGES} (${columns.join(', ')}) VALUES ${rows}${upsert}`;
  // A careful program adds the group's row as well.
  return dice.once(3)
    ? insert
    : `${insert}; INSERT OR IGNORE INTO ${GROUPS} (group_id) SELECT group_id FROM ${MESSAGES} ORDER BY seq`;
};

const updateMessage = (dice: Dice): string => {
  const set = dice.weighed<() => string>([
    [4, () => `group_id = ${group(dice)}`],
    [3, () => `seq = ${placedSeq(dice)}`],
    [1, () => 'seq = seq + 1'],
    [1, () => 'seq = -seq'],
    [3, () => `locked_by = ${holder(dice)}, lock_expiry = ${expiry(dice)}`],
    [2, () => 'locked_by = NULL, lock_expiry = NULL'],
    [2, () => `locked_by = ${freeOr(dice, holder(dice))}`],
    [3, () => `lock_expiry = ${freeOr(dice, expiry(dice))}`],
    [2, () => `event = ${event(dice)}`],
    [1, () => `group_id = ${group(dice)}, locked_by = ${holder(dice)}, lock_expiry = ${expiry(dice)}`],
    [1, () => `seq = ${placedSeq(dice)}, group_id = ${group(dice)}, locked_by = NULL`],
  ])();
  return `${orReplace(dice, 'UPDATE')} ${MESSAGES} SET ${set} ${someMessages(dice)}`;
};

const insertGroup = (dice: Dice): string =>
  `${dice.pick(['INSERT OR IGNORE', 'INSERT OR REPLACE', 'REPLACE', 'INSERT'])} INTO ${GROUPS} (group_id, last_claimed_at, priority, routing_key)
  VALUES (${dice.once(12) ? 'NULL' : group(dice)}, ${turn(dice)}, ${priority(dice)}, ${key(dice)})`;

const updateGroup = (dice: Dice): string => {
  const set = dice.weighed<() => string>([
    [4, () => `last_claimed_at = ${turn(dice)}`],
    [3, () => `priority = ${priority(dice)}`],
    [3, () => `routing_key = ${key(dice)}`],
    [2, () => `group_id = ${group(dice)}`],
    [1, () => `rowid = ${dice.pick(['rowid + 10', '-rowid', '1'])}`],
  ])();
  return `${orReplace(dice, 'UPDATE')} ${GROUPS} SET ${set} ${someGroups(dice)}`;
};

/** Copies rows with all their columns aside, or puts such copies back. */
const copies = (dice: Dice): string =>
  dice.pick([
    `DROP TABLE IF EXISTS temp.kept; CREATE TEMP TABLE kept AS SELECT * FROM ${MESSAGES} ${someMessages(dice)}`,
    `DROP TABLE IF EXISTS temp.kept_groups; CREATE TEMP TABLE kept_groups AS SELECT * FROM ${GROUPS} ${someGroups(dice)}`,
    `INSERT OR REPLACE INTO ${MESSAGES} SELECT * FROM temp.kept`,
    `INSERT OR IGNORE INTO ${MESSAGES} SELECT * FROM temp.kept`,
    `INSERT OR REPLACE INTO ${GROUPS} SELECT * FROM temp.kept_groups`,
  ]);

const upkeep = (dice: Dice): string =>
  dice.pick([
    'ANALYZE',
    'VACUUM',
    'REINDEX',
    'PRAGMA optimize',
    'PRAGMA wal_checkpoint(TRUNCATE)',
    'PRAGMA incremental_vacuum',
    'PRAGMA recursive_triggers = ON',
    'PRAGMA recursive_triggers = OFF',
    `DELETE FROM sqlite_sequence WHERE name = '${MESSAGES}'`,
    `UPDATE sqlite_sequence SET seq = ${dice.pick(['0', '3', '50'])} WHERE name = '${MESSAGES}'`,
    ...(dice.once(8)
      ? [
          `UPDATE sqlite_sequence SET seq = ${dice.pick(['9007199254740990', '9223372036854775807'])} WHERE name = '${MESSAGES}'`,
        ]
      : []),
  ]);

/** What loses triggers, indexes or columns: `runForeign` turns these words into statements. */
const losses = (dice: Dice): string =>
  dice.weighed([
    [3, `REBUILD ${MESSAGES}`],
    [2, `REBUILD ${GROUPS}`],
    [2, `REDUCE ${MESSAGES}`],
    [2, `REDUCE ${GROUPS}`],
    [3, 'DROP EACH trigger'],
    [1, 'DROP EACH index'],
  ]);

export function foreignStatement(dice: Dice): ForeignStatement {
  return dice.weighed<() => ForeignStatement>([
    [18, () => ({ sql: insertMessage(dice) })],
    [18, () => ({ sql: updateMessage(dice) })],
    [6, () => ({ sql: `DELETE FROM ${MESSAGES} ${someMessages(dice)}` })],
    [5, () => ({ sql: insertGroup(dice) })],
    [8, () => ({ sql: updateGroup(dice) })],
    [2, () => ({ sql: `DELETE FROM ${GROUPS} ${someGroups(dice)}` })],
    [1, () => ({ sql: dice.pick([`DELETE FROM ${MESSAGES}`, `DELETE FROM ${GROUPS}`]) })],
    [
      3,
      () => ({
        sql: `INSERT OR IGNORE INTO ${GROUPS} (group_id) SELECT group_id FROM ${MESSAGES} ORDER BY seq`,
      }),
    ],
    [5, () => ({ sql: copies(dice), plain: false })],
    [3, () => ({ sql: upkeep(dice), plain: false })],
    [2, () => ({ sql: losses(dice), plain: false })],
  ])();
}

/**
 * Makes a connection read the schema again. After another connection has restored a column that a trigger names, SQLite refuses
 * one statement more, since it compiles it by the schema that it remembers.
 */
export function refreshSchema(db: { exec(sql: string): unknown }): void {
  db.exec('SELECT COUNT(*) FROM sqlite_schema');
}

/** Runs a statement. One that SQLite refuses changes nothing, as it would for the other program. */
export function runForeign(db: Database, statement: ForeignStatement, now: number): { refused: boolean } {
  const refused = refusalOf(db, statement, now);
  if (refused === null || !refused.startsWith('no such column')) return { refused: refused !== null };
  refreshSchema(db);
  return { refused: refusalOf(db, statement, now) !== null };
}

function refusalOf(db: Database, { sql }: ForeignStatement, now: number): string | null {
  const [word, what] = sql.split(' ');
  try {
    if (word === 'REBUILD') rebuild(db, what as string, createdAs(db, what as string), '*');
    else if (word === 'REDUCE') reduce(db, what as string);
    else if (sql.startsWith('DROP EACH')) dropEach(db, sql.slice('DROP EACH '.length));
    else db.exec(sql.replaceAll(':now', now.toFixed(6)));
    return null;
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    const { code, message } = error as { code?: string; message: string };
    if (code?.startsWith('SQLITE_')) return message;
    throw error;
  }
}

/** As programs change a table that ALTER TABLE cannot: the new table has no triggers and no indexes. */
function rebuild(db: Database, table: string, create: string, columns: string): void {
  db.exec(`PRAGMA legacy_alter_table = ON; BEGIN IMMEDIATE; ${create};
INSERT INTO rebuilt SELECT ${columns} FROM ${table}; DROP TABLE ${table}; ALTER TABLE rebuilt RENAME TO ${table}; COMMIT`);
}

function createdAs(db: Database, table: string): string {
  const made = db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(table) as string;
  return made.replace(table, 'rebuilt');
}

/** As a program does that knows only the specification: Leasehold's columns are lost as well. */
function reduce(db: Database, table: string): void {
  const { definition, columns } = SPECIFIED_TABLES[table === MESSAGES ? 'messages' : 'groups'];
  rebuild(db, table, `CREATE TABLE rebuilt (${definition})`, columns);
}

function dropEach(db: Database, type: string): void {
  const names = db
    .prepare('SELECT name FROM sqlite_schema WHERE type = ? AND tbl_name IN (?, ?) AND sql IS NOT NULL')
    .pluck()
    .all(type, MESSAGES, GROUPS);
  db.exec(names.map((name) => `DROP ${type} ${name}`).join(';'));
}
