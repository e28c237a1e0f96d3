/** A message's state, in SQL: one definition for every list, filter and count. */
import { type Names, PARKED } from '../../sqlite/file/names.ts';

/** The head of group `g`. */
export const headSeq = ({ messages }: Names) =>
  `(SELECT MIN(seq) FROM ${messages} WHERE group_id = g.group_id)`;

/** The state of message `m` of group `g` at :now (epoch seconds). Whatever is not the head waits, unless it is locked. */
export function stateSql(names: Names): string {
  return `CASE
    WHEN m.locked_by IS NOT NULL AND m.lock_expiry >= :now
      THEN CASE m.locked_by WHEN '${PARKED}' THEN 'parked' ELSE 'leased' END
    WHEN m.seq = ${headSeq(names)} AND NOT (g.locked_behind AND ${lastLockSql(names)} IS NOT NULL)
      THEN CASE WHEN m.locked_by IS NULL THEN 'ready' ELSE 'lapsed' END
    ELSE 'waiting'
  END`;
}

/** Of the live locks in group `g` the one that ends last; for the rare group with `locked_behind`, since it reads all of it. */
export function lastLockSql({ messages }: Names, column: 'seq' | 'lock_expiry' = 'seq'): string {
  return `(SELECT x.${column} FROM ${messages} x WHERE x.group_id = g.group_id AND x.locked_by IS NOT NULL
    AND x.lock_expiry >= :now ORDER BY x.lock_expiry DESC LIMIT 1)`;
}

/** The worker that holds `message`: a park holds it for nobody. */
export const holderSql = (message: string) =>
  `CASE ${message}.locked_by WHEN '${PARKED}' THEN NULL ELSE ${message}.locked_by END`;

/** Groups as the lists show them: a row that another program's crash left without messages is none until it is repaired. */
export const countGroupsSql = ({ groups, messages }: Names) =>
  `SELECT COUNT(*) FROM ${groups} g WHERE EXISTS (SELECT 1 FROM ${messages} WHERE group_id = g.group_id)`;

/** Only a group that was claimed or is marked can hold a lock: the heads of all others need no look. */
export const MAY_BE_LOCKED = '(g.last_claimed_at > 0 OR g.blocked_until IS NOT NULL)';

/**
 * The messages `m` (of group `g`) that can be anything but waiting: the heads, and in the rare group that is locked
 * behind its head, the locked ones. A seek for each group (that may be `locked`) instead of a look at each message; the
 * CROSS JOINs keep SQLite from turning that round.
 */
export function foremostSql(names: Names, locked: boolean): string {
  const { messages, groups } = names;
  return `(
  SELECT ${headSeq(names)} AS seq FROM ${groups} g ${locked ? `WHERE ${MAY_BE_LOCKED}` : ''}
  UNION ALL
  SELECT x.seq FROM ${groups} g CROSS JOIN ${messages} x ON x.group_id = g.group_id
  WHERE g.locked_behind AND x.locked_by IS NOT NULL AND x.seq > ${headSeq(names)}
) f CROSS JOIN ${messages} m ON m.seq = f.seq CROSS JOIN ${groups} g ON g.group_id = m.group_id`;
}
