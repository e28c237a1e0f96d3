/** A message's state in SQL: one definition for every list, filter and count. `m` is the message, `g` its group. */
import { type Names, PARKED } from '../../sqlite/file/names.ts';
import { isOutOfTurn } from '../../sqlite/file/schema.ts';

/** The seq of the head of group `g`. */
export const headSeqSql = ({ messages }: Names) =>
  `(SELECT MIN(seq) FROM ${messages} WHERE group_id = g.group_id)`;

/**
 * The state of message `m` at :now. A message behind the head waits, unless it is locked itself. `isHead` is the condition that
 * `m` is the head: among `foremostSql`, pass IS_FOREMOST_HEAD.
 */
export function stateSql(names: Names, isHead = `m.seq = ${headSeqSql(names)}`): string {
  return `CASE
    WHEN m.locked_by IS NOT NULL AND m.lock_expiry >= :now
      THEN CASE m.locked_by WHEN '${PARKED}' THEN 'parked' ELSE 'leased' END
    WHEN ${isHead} AND ${lastLockSql(names)} IS NULL
      THEN CASE WHEN m.locked_by IS NULL THEN 'ready' ELSE 'lapsed' END
    ELSE 'waiting'
  END`;
}

/** The lock in group `g` that expires last, of those that may stand behind the head. One seek in their partial index. */
export function lastLockSql({ messages }: Names, column: 'seq' | 'lock_expiry' = 'seq'): string {
  return `(SELECT x.${column} FROM ${messages} x WHERE x.group_id = g.group_id AND ${isOutOfTurn('x')}
    AND x.lock_expiry >= :now ORDER BY x.lock_expiry DESC LIMIT 1)`;
}

/** The worker that holds `message`. A park has no holder. */
export const holderSql = (message: string) =>
  `CASE ${message}.locked_by WHEN '${PARKED}' THEN NULL ELSE ${message}.locked_by END`;

/** Counts the groups that the lists show: a row without messages, which another program's crash left, is not shown. */
export const countGroupsSql = ({ groups, messages }: Names) =>
  `SELECT COUNT(*) FROM ${groups} g WHERE EXISTS (SELECT 1 FROM ${messages} WHERE group_id = g.group_id)`;

/**
 * A group that was never claimed and is not marked has no lock but those that are tracked as out of turn, so its head need
 * not be read.
 */
const MAY_BE_LOCKED = '(g.last_claimed_at > 0 OR g.blocked_until IS NOT NULL)';

/** The condition that a row of foremostSql is the head of its group, which it knows without another seek. */
export const IS_FOREMOST_HEAD = 'f.head';

/**
 * The messages `m` (of group `g`) that can be in another state than waiting: the heads, and the locked ones behind
 * them. `lockedOnly` leaves out the heads that cannot be locked.
 *
 * This is a seek for each group instead of a read of each message. The CROSS JOINs keep SQLite from reversing the order.
 */
export function foremostSql(names: Names, lockedOnly: boolean): string {
  const { messages, groups } = names;
  const notYet = `(x.seq > ${headSeqSql(names)} ${lockedOnly ? `OR NOT ${MAY_BE_LOCKED}` : ''})`;
  return `(
  SELECT ${headSeqSql(names)} AS seq, g.rowid AS groupRow, 1 AS head FROM ${groups} g ${lockedOnly ? `WHERE ${MAY_BE_LOCKED}` : ''}
  UNION ALL
  SELECT x.seq, g.rowid, x.seq = ${headSeqSql(names)} FROM ${messages} x CROSS JOIN ${groups} g ON g.group_id = x.group_id
  WHERE ${isOutOfTurn('x')} AND ${notYet}
) f CROSS JOIN ${messages} m ON m.seq = f.seq CROSS JOIN ${groups} g ON g.rowid = f.groupRow`;
}
