/**
 * The queue's tables in a SQLite file, and the upgrade of a file that the specification's own schema made.
 *
 * `<prefix>_messages` and `<prefix>_groups` are the specification's, with its columns and indexes. Leasehold adds
 * columns with defaults, indexes, triggers and tables, so that a program that knows only the specification can go on
 * reading and writing the file. What is added, and what each addition must always satisfy:
 *
 *   messages.attempts      deliveries that count towards a worker's maxAttempts
 *   messages.deliveries    every delivery by Leasehold; with locked_by and lock_expiry the fence of a lease
 *   messages.published_at  epoch seconds; NULL where the writer left it out
 *   messages.last_error    what the last failed attempt said
 *   messages.origin_seq    the message this one was re-published from
 *   groups.blocked_until   NULL, or the end of the lock that the group waits for: a mark for the claim to pass it by
 *   groups.locked_behind   1 once a message behind the head was locked: only then must a claim look at all of them
 *
 * `blocked_until` is set for every park, and for a lease only by a claim that came upon the locked group: in the usual
 * order of things a group that is being worked on stands at the end of the line, nobody meets it there, and its claim and
 * ack never write the mark. (Marking every lease cost three pages more for each message, 13 microseconds each, a third
 * of claim and ack together.) So NULL says nothing, and any other value is the truth: the lock_expiry of the group's
 * locked message. Triggers on messages keep it so whoever writes, and a claim asks the head before it takes a group
 * without a mark. Our own claim passes over the trigger by raising `deliveries`: a group that it takes has no mark.
 *
 * The claim reads `<prefix>_groups_by_turn` (priority, blocked_until, last_claimed_at): for each priority the unmarked
 * groups come first (NULL sorts lowest), in the specification's order, and the marked ones follow by the end of their
 * lock, so that those whose lock has lapsed are found by one seek.
 */
import type { Database } from 'better-sqlite3';
import { type Names, namesFor, PARKED } from './names.ts';

/** The version of what Leasehold adds to the specification's schema; kept in `<prefix>_meta`. */
export const SCHEMA_VERSION = 1;

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Columns that a file may lack: routing_key when it was made before routing, the rest when another program made it. */
const LATER_COLUMNS = {
  messages: [
    { name: 'attempts', type: 'INTEGER NOT NULL DEFAULT 0' },
    { name: 'deliveries', type: 'INTEGER NOT NULL DEFAULT 0' },
    { name: 'published_at', type: 'REAL' },
    { name: 'last_error', type: 'TEXT' },
    { name: 'origin_seq', type: 'INTEGER' },
  ],
  groups: [
    { name: 'routing_key', type: 'TEXT' },
    { name: 'blocked_until', type: 'REAL' },
    { name: 'locked_behind', type: 'INTEGER NOT NULL DEFAULT 0' },
  ],
} as const satisfies Record<string, readonly Column[]>;

const asLines = (columns: readonly Column[]) =>
  columns.map(({ name, type }) => `,\n  ${name} ${type}`).join('');

function tables({ messages, groups, deadLetters, journal, meta }: Names): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${messages} (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id TEXT NOT NULL,
  event TEXT NOT NULL,
  locked_by TEXT,
  lock_expiry REAL${asLines(LATER_COLUMNS.messages)}
)`,
    `CREATE TABLE IF NOT EXISTS ${groups} (
  group_id TEXT PRIMARY KEY,
  last_claimed_at REAL NOT NULL DEFAULT 0.0,
  priority INT NOT NULL DEFAULT 0${asLines(LATER_COLUMNS.groups)}
)`,
    `CREATE TABLE IF NOT EXISTS ${deadLetters} (
  seq INTEGER PRIMARY KEY,
  group_id TEXT NOT NULL,
  event TEXT NOT NULL,
  priority INT NOT NULL,
  routing_key TEXT,
  attempts INTEGER NOT NULL,
  published_at REAL,
  origin_seq INTEGER,
  buried_at REAL NOT NULL,
  last_error TEXT
)`,
    `CREATE TABLE IF NOT EXISTS ${journal} (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at REAL NOT NULL,
  operator TEXT NOT NULL,
  act TEXT NOT NULL,
  seq INTEGER NOT NULL,
  group_id TEXT NOT NULL,
  detail TEXT NOT NULL
)`,
    `CREATE TABLE IF NOT EXISTS ${meta} (key TEXT PRIMARY KEY, value) WITHOUT ROWID`,
  ];
}

function indexes({ messages, groups }: Names): string[] {
  return [
    `CREATE INDEX IF NOT EXISTS ${groups}_by_last_claimed ON ${groups} (last_claimed_at)`,
    `CREATE INDEX IF NOT EXISTS ${messages}_by_group ON ${messages} (group_id, seq)`,
    `CREATE INDEX IF NOT EXISTS ${groups}_by_routing_key ON ${groups} (routing_key, last_claimed_at)`,
    `CREATE INDEX IF NOT EXISTS ${groups}_by_turn ON ${groups} (priority, blocked_until, last_claimed_at)`,
    `CREATE INDEX IF NOT EXISTS ${groups}_by_keyed_turn ON ${groups}
  (routing_key, priority, blocked_until, last_claimed_at) WHERE routing_key IS NOT NULL`,
  ];
}

/** The end of the last lock in a group, by looking at all of its messages: for the rare one locked behind its head. */
const lastLock = (messages: string, groupId: string) =>
  `(SELECT MAX(lock_expiry) FROM ${messages} WHERE group_id = ${groupId} AND locked_by IS NOT NULL)`;

function triggers({ messages, groups }: Names): string[] {
  return [
    `CREATE TRIGGER IF NOT EXISTS ${messages}_lock_changed
AFTER UPDATE OF locked_by, lock_expiry ON ${messages}
WHEN NEW.deliveries = OLD.deliveries
BEGIN
  UPDATE ${groups} SET locked_behind = 1
  WHERE NEW.locked_by IS NOT NULL AND group_id = NEW.group_id
    AND NEW.seq > (SELECT MIN(seq) FROM ${messages} WHERE group_id = NEW.group_id);
  UPDATE ${groups} SET blocked_until = CASE
      WHEN locked_behind THEN ${lastLock(messages, 'NEW.group_id')}
      WHEN NEW.locked_by IS NOT NULL THEN NEW.lock_expiry
    END
  WHERE group_id = NEW.group_id AND (blocked_until IS NOT NULL OR NEW.locked_by = '${PARKED}');
END`,
    `CREATE TRIGGER IF NOT EXISTS ${messages}_lock_gone
AFTER DELETE ON ${messages}
WHEN OLD.locked_by IS NOT NULL
BEGIN
  UPDATE ${groups} SET blocked_until = CASE WHEN locked_behind THEN ${lastLock(messages, 'OLD.group_id')} END
  WHERE group_id = OLD.group_id AND blocked_until IS NOT NULL;
END`,
  ];
}

/** Sets the derived columns of groups whose messages were locked while no trigger could tell. */
export function deriveLocks({ messages, groups }: Names): string {
  return `UPDATE ${groups} SET
  blocked_until = ${lastLock(messages, `${groups}.group_id`)},
  locked_behind = EXISTS (
    SELECT 1 FROM ${messages} m WHERE m.group_id = ${groups}.group_id AND m.locked_by IS NOT NULL
      AND m.seq > (SELECT MIN(seq) FROM ${messages} WHERE group_id = m.group_id))
WHERE group_id IN (SELECT group_id FROM ${messages} WHERE locked_by IS NOT NULL)`;
}

const recordVersion = ({ meta }: Names) =>
  `INSERT INTO ${meta} (key, value) VALUES ('schema_version', ${SCHEMA_VERSION})
ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** The whole schema for a file that has none of it, as statements for a migration tool (createSchema: false). */
export function sqliteTransportSchema(tablePrefix?: string): string[] {
  const names = namesFor(tablePrefix);
  return [...tables(names), ...indexes(names), ...triggers(names), recordVersion(names)];
}

/**
 * The statements that bring the file behind `database` up to this version, to be run in order in one transaction:
 * `ALTER TABLE … ADD COLUMN` for what is missing (SQLite has no IF NOT EXISTS there), then tables, indexes and
 * triggers. Empty when nothing is missing. On a file without the tables it is the whole schema. Reads only.
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

/** The version of Leasehold's additions in the file; 0 where there are none. */
export function schemaVersion(database: Database, { meta }: Names): number {
  if (columnsOf(database, meta).length === 0) return 0;
  const value = database.prepare(`SELECT value FROM ${meta} WHERE key = 'schema_version'`).pluck().get();
  return typeof value === 'number' ? value : Number(value ?? 0);
}
