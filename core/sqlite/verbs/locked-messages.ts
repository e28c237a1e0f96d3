/**
 * The locked messages of a page of groups. One statement reads at most `limit` groups, however many there are.
 */
import type { GroupPage } from '../../contract/transport.ts';
import { isOutOfTurn } from '../file/schema.ts';
import type { FencedMessage } from './fence.ts';
import { prepare, type VerbContext } from './verb-context.ts';

export interface LockedPage {
  readonly messages: (FencedMessage & { lockedBy: string })[];
  /** Pass it as `after`; null after the last page. */
  readonly next: number | null;
}

const DEFAULT_PAGE = 2000;

/** Parked messages are left out. */
export function makeLockedMessages(context: VerbContext): (page: GroupPage) => LockedPage {
  const { messages, groups } = context.names;
  const columns = 'm.seq AS seq, m.group_id AS groupId, m.locked_by AS lockedBy, m.fence AS fence';
  const isLeased = `typeof(m.locked_by) = 'text' AND m.locked_by <> '__parked__'`;
  const pageSql = `(SELECT group_id FROM ${groups} WHERE rowid > ? AND rowid <= ?)`;
  const lastRow = prepare(
    context,
    `SELECT MAX(rowid) AS last, COUNT(*) AS looked FROM (SELECT rowid FROM ${groups} WHERE rowid > ? ORDER BY rowid LIMIT ?)`,
  );
  const locked = prepare(
    context,
    `SELECT ${columns} FROM ${pageSql} g
JOIN ${messages} m ON m.seq = (SELECT MIN(seq) FROM ${messages} WHERE group_id = g.group_id)
WHERE m.out_of_turn <> 1 AND ${isLeased}
UNION ALL
SELECT ${columns} FROM ${pageSql} g CROSS JOIN ${messages} m ON m.group_id = g.group_id
WHERE ${isOutOfTurn('m')} AND ${isLeased}`,
  );
  return ({ after, limit = DEFAULT_PAGE }) => {
    const first = after ?? Number.MIN_SAFE_INTEGER;
    const { last, looked } = lastRow.get(first, limit) as { last: number | null; looked: number };
    const found = last === null ? [] : locked.all(first, last, first, last);
    return { messages: found as LockedPage['messages'], next: looked < limit ? null : last };
  };
}
