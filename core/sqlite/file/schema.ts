/**
 * The queue's tables in a SQLite file.
 *
 * `<prefix>_messages` and `<prefix>_groups` are the specification's, with its columns and indexes. Leasehold adds columns
 * with defaults, indexes, triggers and tables, so a program that knows only the specification can still read and write the
 * file.
 *
 *   messages.attempts      deliveries that count towards a worker's maxAttempts
 *   messages.deliveries    all deliveries by Leasehold; with locked_by and lock_expiry the fence of a lease
 *   messages.published_at  epoch seconds; NULL where the writer left it out
 *   messages.last_error    the error of the last failed attempt
 *   messages.origin_seq    the message that this one was re-published from
 *   groups.blocked_until   the group's mark: NULL, or the lock_expiry of the group's locked message
 *   groups.locked_behind   1 once a message behind the head was locked; only then must a claim read all of the group
 *
 * The states of a message in the file:
 *
 *   state    locked_by      lock_expiry     the group's mark                  written by
 *   -------  -------------  --------------  --------------------------------  -----------------------------------------------
 *   free     NULL           NULL            NULL                              publish, nack, release, an operator's nack
 *   leased   the worker id  now or later    NULL until a claim encounters it  claim, extend
 *   parked   '__parked__'   now or later    lock_expiry                       nack with a delay, an operator's park
 *   lapsed   as before      before now      as before; the next claim         no statement: time passes
 *                                           removes it
 *   done     the row is deleted             NULL                              ack, re-publish, an operator's ack
 *   dead     a row in dead_letters instead  NULL                              bury; claim, where the event cannot be decoded
 *
 * After the wall clock stepped back, shorten-locks.ts lowers the lock_expiry of leased and parked messages.
 *
 * The triggers keep the mark correct after every write, whichever program makes it:
 *
 *   _lock_changed  after an UPDATE of locked_by or lock_expiry that leaves deliveries as they are (nack, park, extend, release,
 *                  another program's claim): follows the new lock where the group has a mark, and marks the group of a park.
 *                  Our claims increment deliveries, so the trigger's WHEN clause excludes them; a group that is claimed has no
 *                  mark.
 *   _lock_gone     after the DELETE of a locked message (ack, bury): removes the mark.
 *
 * Parks are marked when they are made. A leased group is marked by the first claim to encounter it; later claims skip marked
 * groups. A group whose message is being worked on is usually last in the order, where no claim encounters it, so its claim
 * and ack never write the mark. (Marking every lease cost three more pages for each message, 13 microseconds each, a third
 * of claim and ack together.) So a NULL mark means unknown, and a claim still looks at the head of an unmarked group. Any
 * other value equals the lock_expiry of the group's locked message.
 *
 * The claim reads the index `<prefix>_groups_by_turn` (priority, blocked_until, last_claimed_at). Within a priority the
 * unmarked groups come first (NULL sorts lowest), in the specification's order. The marked ones follow by the end of their
 * lock, so one seek finds those whose lock has lapsed.
 */
import { type Names, namesFor, PARKED } from './names.ts';

/** The version of Leasehold's additions to the specification's schema, stored in `<prefix>_meta`. */
export const SCHEMA_VERSION = 1;

export interface Column {
  readonly name: string;
  readonly type: string;
}

/**
 * Columns that a file can lack: routing_key where it was made before routing keys, the others where another program made
 * it.
 */
export const LATER_COLUMNS = {
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

export function tables({ messages, groups, deadLetters, journal, meta }: Names): string[] {
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

export function indexes({ messages, groups }: Names): string[] {
  return [
    `CREATE INDEX IF NOT EXISTS ${groups}_by_last_claimed ON ${groups} (last_claimed_at)`,
    `CREATE INDEX IF NOT EXISTS ${messages}_by_group ON ${messages} (group_id, seq)`,
    `CREATE INDEX IF NOT EXISTS ${groups}_by_routing_key ON ${groups} (routing_key, last_claimed_at)`,
    `CREATE INDEX IF NOT EXISTS ${groups}_by_turn ON ${groups} (priority, blocked_until, last_claimed_at)`,
    `CREATE INDEX IF NOT EXISTS ${groups}_by_keyed_turn ON ${groups}
  (routing_key, priority, blocked_until, last_claimed_at) WHERE routing_key IS NOT NULL`,
  ];
}

/**
 * The end of the last lock in a group. It reads all of the group's messages, so it is for groups that are locked behind
 * their head.
 */
const lastLock = (messages: string, groupId: string) =>
  `(SELECT MAX(lock_expiry) FROM ${messages} WHERE group_id = ${groupId} AND locked_by IS NOT NULL)`;

export function triggers({ messages, groups }: Names): string[] {
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

/**
 * Sets both derived columns of groups whose messages were locked before the triggers existed, or before the group's row
 * did.
 */
export function deriveLocks({ messages, groups }: Names): string {
  return `UPDATE ${groups} SET
  blocked_until = ${lastLock(messages, `${groups}.group_id`)},
  locked_behind = EXISTS (
    SELECT 1 FROM ${messages} m WHERE m.group_id = ${groups}.group_id AND m.locked_by IS NOT NULL
      AND m.seq > (SELECT MIN(seq) FROM ${messages} WHERE group_id = m.group_id))
WHERE group_id IN (SELECT group_id FROM ${messages} WHERE locked_by IS NOT NULL)`;
}

export const recordVersion = ({ meta }: Names) =>
  `INSERT INTO ${meta} (key, value) VALUES ('schema_version', ${SCHEMA_VERSION})
ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** The statements that create the whole schema in a new file, for a migration tool (see `createSchema: false`). */
export function sqliteTransportSchema(tablePrefix?: string): string[] {
  const names = namesFor(tablePrefix);
  return [...tables(names), ...indexes(names), ...triggers(names), recordVersion(names)];
}
