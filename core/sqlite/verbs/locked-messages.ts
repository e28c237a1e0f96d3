/**
 * The locked messages, as a SELECT of seq, groupId, lockedBy, lockExpiry and deliveries: the heads of groups that were ever
 * claimed, and in a group that is locked behind its head all of its locked messages. It reads no other message.
 */
import type { Names } from '../file/names.ts';

const COLUMNS =
  'm.seq, m.group_id AS groupId, m.locked_by AS lockedBy, m.lock_expiry AS lockExpiry, m.deliveries';

export const lockedMessagesSql = ({ messages, groups }: Names) => `SELECT ${COLUMNS} FROM ${groups} g
JOIN ${messages} m ON m.seq = (SELECT MIN(seq) FROM ${messages} WHERE group_id = g.group_id)
WHERE g.last_claimed_at > 0 AND NOT g.locked_behind AND m.locked_by IS NOT NULL
UNION ALL
SELECT ${COLUMNS} FROM ${groups} g CROSS JOIN ${messages} m ON m.group_id = g.group_id
WHERE g.locked_behind AND m.locked_by IS NOT NULL`;
