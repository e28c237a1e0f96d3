/** A message's state, in SQL: one definition for every list, filter and count. */
import { type Names, PARKED } from '../sqlite/names.ts';
import type { MessageState } from './contract.ts';

/** The head of group `g`. */
export const headSeq = ({ messages }: Names) =>
  `(SELECT MIN(seq) FROM ${messages} WHERE group_id = g.group_id)`;

/** The state of message `m` of group `g` at :now (epoch seconds). */
export function stateSql(names: Names): string {
  const lockedElsewhere = `g.locked_behind AND EXISTS (SELECT 1 FROM ${names.messages} x
    WHERE x.group_id = m.group_id AND x.locked_by IS NOT NULL AND x.lock_expiry >= :now)`;
  return `CASE
    WHEN m.locked_by IS NULL THEN
      CASE WHEN m.seq = ${headSeq(names)} AND NOT (${lockedElsewhere}) THEN 'ready' ELSE 'waiting' END
    WHEN m.lock_expiry >= :now THEN CASE m.locked_by WHEN '${PARKED}' THEN 'parked' ELSE 'leased' END
    ELSE 'lapsed'
  END`;
}

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

export const STATES: readonly MessageState[] = ['ready', 'waiting', 'leased', 'lapsed', 'parked', 'dead'];
