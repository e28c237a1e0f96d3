/**
 * The queue's tables in a SQLite file.
 *
 * `<prefix>_messages` and `<prefix>_groups` are the specification's, with its columns and indexes. Leasehold adds columns
 * with defaults, indexes, triggers and tables, so a program that knows only the specification can still read and write the
 * file.
 *
 *   messages.attempts      the started attempts that count towards a worker's maxAttempts
 *   messages.started       1 while the attempt of the current lease is counted in `attempts`
 *   messages.crashes       how often in a row a lease ended without a settle: it lapsed and was taken over, or its worker died
 *   messages.deliveries    all deliveries by Leasehold
 *   messages.fence         rises with every write of the lock, by whichever program; with locked_by it is the fence of a lease
 *   messages.out_of_turn   1 where the message's lock may stand behind the head of its group
 *   messages.published_at  epoch seconds; NULL where the writer left it out
 *   messages.last_error    the error of the last failed attempt
 *   messages.origin_seq    the message that this one was re-published from
 *   groups.blocked_until   the group's mark: NULL, or a time until which some lock in the group holds
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
 *   dead     a row in dead_letters instead  NULL                              bury; claim, where the message cannot be served
 *
 * After the wall clock stepped back, shorten-locks.ts lowers the lock_expiry of leased and parked messages.
 *
 * A claim relies on two rules, which hold after every write by any program:
 *
 *   1. A mark that is not NULL is never later than the end of some lock in the group. NULL means unknown: the claim looks.
 *      A mark that is too early costs one more look.
 *   2. A lock that is not the head's has out_of_turn = 1. Only these are in the partial index `_out_of_turn`, so a claim finds
 *      them by one seek. Leasehold's own claims lock heads, so their rows are not in it.
 *
 * Leasehold's verbs keep both rules themselves, and raise `fence`. The triggers keep them after writes of other programs:
 *
 *   _lock_changed  after an UPDATE of locked_by or lock_expiry that leaves the fence as it is: raises it, so that no lease from
 *                  before settles (a lock that only ends earlier stays the same lease), and follows the lock with the mark
 *   _moved         after an UPDATE of seq or group_id
 *   _inserted      after an INSERT of a locked message, or one in front of others
 *   _replaced      before an INSERT with the seq of a message (REPLACE deletes it, and fires no trigger for that)
 *   _renumbered    before an UPDATE of seq, for the same reason
 *   _lock_gone     after the DELETE of a locked message (our ack and bury too): removes the mark
 *   groups_renamed, groups_inserted: a mark belongs to the group for which it was set
 *
 * Parks are marked when they are made. A leased group is marked by the first claim to encounter it; later claims skip marked
 * groups. A group whose message is being worked on is usually last in the order, where no claim encounters it, so its claim
 * and ack never write the mark. (Marking every lease cost three more pages for each message, 13 microseconds each, a third
 * of claim and ack together.) An engine that has issued many leases marks at the claim, so that no later claim must mark all of them.
 *
 * The claim reads the index `<prefix>_groups_by_turn` (priority, blocked_until, last_claimed_at). Within a priority the
 * unmarked groups come first (NULL sorts lowest), in the specification's order. The marked ones follow by the end of their
 * lock, so one seek finds those whose lock has lapsed.
 */
import { type Names, namesFor } from './names.ts';

/** The version of Leasehold's additions to the specification's schema, stored in `<prefix>_meta`. */
export const SCHEMA_VERSION = 2;

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
    { name: 'started', type: 'INTEGER NOT NULL DEFAULT 0' },
    { name: 'crashes', type: 'INTEGER NOT NULL DEFAULT 0' },
    { name: 'deliveries', type: 'INTEGER NOT NULL DEFAULT 0' },
    { name: 'fence', type: 'INTEGER NOT NULL DEFAULT 0' },
    { name: 'out_of_turn', type: 'INTEGER NOT NULL DEFAULT 0' },
    { name: 'published_at', type: 'REAL' },
    { name: 'last_error', type: 'TEXT' },
    { name: 'origin_seq', type: 'INTEGER' },
  ],
  groups: [
    { name: 'routing_key', type: 'TEXT' },
    { name: 'blocked_until', type: 'REAL' },
  ],
} as const satisfies Record<string, readonly Column[]>;

const asLines = (columns: readonly Column[]) =>
  columns.map(({ name, type }) => `,\n  ${name} ${type}`).join('');

/** A dead letter has a key of its own: another program can reset the numbering of messages, so seqs can occur again. */
export const deadLettersTable = ({ deadLetters }: Names) => `CREATE TABLE IF NOT EXISTS ${deadLetters} (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  seq INTEGER NOT NULL,
  group_id TEXT NOT NULL,
  event TEXT NOT NULL,
  priority INT NOT NULL,
  routing_key TEXT,
  attempts INTEGER NOT NULL,
  published_at REAL,
  origin_seq INTEGER,
  buried_at REAL NOT NULL,
  last_error TEXT
)`;

export function tables(names: Names): string[] {
  const { messages, groups, journal, meta } = names;
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
    deadLettersTable(names),
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

export function indexes({ messages, groups, deadLetters }: Names): string[] {
  return [
    `CREATE INDEX IF NOT EXISTS ${groups}_by_last_claimed ON ${groups} (last_claimed_at)`,
    `CREATE INDEX IF NOT EXISTS ${messages}_by_group ON ${messages} (group_id, seq)`,
    `CREATE INDEX IF NOT EXISTS ${groups}_by_routing_key ON ${groups} (routing_key, last_claimed_at)`,
    `CREATE INDEX IF NOT EXISTS ${groups}_by_turn ON ${groups} (priority, blocked_until, last_claimed_at)`,
    `CREATE INDEX IF NOT EXISTS ${groups}_by_keyed_turn ON ${groups}
  (routing_key, priority, blocked_until, last_claimed_at) WHERE routing_key IS NOT NULL`,
    `CREATE INDEX IF NOT EXISTS ${messages}_out_of_turn ON ${messages} (group_id, lock_expiry)
  WHERE out_of_turn = 1 AND locked_by IS NOT NULL`,
    `CREATE INDEX IF NOT EXISTS ${deadLetters}_by_seq ON ${deadLetters} (seq)`,
  ];
}

/** The condition of the partial index of locks that may stand behind the head of their group. */
export const isOutOfTurn = (message: string) =>
  `${message}.out_of_turn = 1 AND ${message}.locked_by IS NOT NULL`;

export function triggers({ messages, groups }: Names): string[] {
  const unmark = (groupIds: string) =>
    `UPDATE ${groups} SET blocked_until = NULL WHERE group_id IN (${groupIds}) AND blocked_until IS NOT NULL`;
  // The message after NEW in its group may be locked, and is not the head any more.
  const trackNext = `UPDATE ${messages} SET out_of_turn = 1 WHERE locked_by IS NOT NULL AND seq =
    (SELECT MIN(seq) FROM ${messages} WHERE group_id = NEW.group_id AND seq > NEW.seq)`;
  const groupOfReplaced = `(SELECT group_id FROM ${messages} WHERE seq = NEW.seq)`;
  const trigger = (name: string, ...lines: string[]) =>
    `CREATE TRIGGER IF NOT EXISTS ${name}\n${lines.join('\n')}\nEND`;
  return [
    trigger(
      `${messages}_lock_changed`,
      `AFTER UPDATE OF locked_by, lock_expiry ON ${messages} WHEN NEW.fence = OLD.fence`,
      'BEGIN',
      `  UPDATE ${messages} SET out_of_turn = 1, fence = fence + CASE
      WHEN NEW.locked_by IS OLD.locked_by AND NEW.lock_expiry <= OLD.lock_expiry THEN 0 ELSE 1
    END WHERE seq = NEW.seq;`,
      `  UPDATE ${groups} SET blocked_until = CASE WHEN NEW.locked_by IS NOT NULL THEN NEW.lock_expiry END
  WHERE group_id = NEW.group_id;`,
    ),
    trigger(
      `${messages}_moved`,
      `AFTER UPDATE OF seq, group_id ON ${messages}`,
      'BEGIN',
      `  UPDATE ${messages} SET out_of_turn = 1 WHERE seq = NEW.seq AND locked_by IS NOT NULL;`,
      `  ${trackNext};`,
      `  ${unmark('OLD.group_id, NEW.group_id')};`,
    ),
    trigger(
      `${messages}_inserted`,
      `AFTER INSERT ON ${messages}`,
      `WHEN NEW.locked_by IS NOT NULL OR NEW.seq < (SELECT MAX(seq) FROM ${messages})`,
      'BEGIN',
      `  UPDATE ${messages} SET out_of_turn = 1, fence = fence + 1 WHERE seq = NEW.seq;`,
      `  ${trackNext};`,
      `  UPDATE ${groups} SET blocked_until = NEW.lock_expiry
  WHERE group_id = NEW.group_id AND NEW.locked_by IS NOT NULL;`,
    ),
    trigger(
      `${messages}_replaced`,
      // Before an INSERT without a seq, NEW.seq is -1 too. A message can have that seq, and to unmark a group does no harm.
      `BEFORE INSERT ON ${messages} WHEN EXISTS (SELECT 1 FROM ${messages} WHERE seq = NEW.seq)`,
      'BEGIN',
      `  ${unmark(groupOfReplaced)};`,
    ),
    trigger(
      `${messages}_renumbered`,
      `BEFORE UPDATE OF seq ON ${messages} WHEN NEW.seq <> OLD.seq`,
      'BEGIN',
      `  ${unmark(groupOfReplaced)};`,
    ),
    trigger(
      `${messages}_lock_gone`,
      `AFTER DELETE ON ${messages} WHEN OLD.locked_by IS NOT NULL`,
      'BEGIN',
      `  UPDATE ${groups} SET blocked_until = NULL WHERE group_id = OLD.group_id AND blocked_until IS NOT NULL;`,
    ),
    trigger(
      `${groups}_renamed`,
      `AFTER UPDATE OF group_id ON ${groups} WHEN NEW.blocked_until IS NOT NULL`,
      'BEGIN',
      `  ${unmark('NEW.group_id')};`,
    ),
    trigger(
      `${groups}_inserted`,
      `AFTER INSERT ON ${groups} WHEN NEW.blocked_until IS NOT NULL`,
      'BEGIN',
      `  ${unmark('NEW.group_id')};`,
    ),
  ];
}

/** Establishes both rules in a file that was written without the triggers. Reads every message. */
export function deriveLocks({ messages, groups }: Names): string[] {
  return [
    `UPDATE ${messages} SET out_of_turn = 1 WHERE locked_by IS NOT NULL AND out_of_turn <> 1`,
    `UPDATE ${groups} SET blocked_until =
  (SELECT MAX(x.lock_expiry) FROM ${messages} x WHERE x.group_id = ${groups}.group_id AND ${isOutOfTurn('x')})
WHERE blocked_until IS NOT NULL OR group_id IN (SELECT x.group_id FROM ${messages} x WHERE ${isOutOfTurn('x')})`,
  ];
}

export const recordVersion = ({ meta }: Names) =>
  `INSERT INTO ${meta} (key, value) VALUES ('schema_version', ${SCHEMA_VERSION})
ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** The statements that create the whole schema in a new file, for a migration tool (see `createSchema: false`). */
export function sqliteTransportSchema(tablePrefix?: string): string[] {
  const names = namesFor(tablePrefix);
  return [...tables(names), ...indexes(names), ...triggers(names), recordVersion(names)];
}
