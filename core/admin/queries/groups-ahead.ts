/** How many groups a claim takes before a given one. */
import type { Names } from '../../sqlite/file/names.ts';
import { levelsSql } from '../../sqlite/verbs/claim-order.ts';
import { headSeqSql, lastLockSql } from './message-state.ts';
import type { Snapshot } from './snapshot.ts';

/** The count stops here. */
export const MAX_GROUPS_AHEAD = 1000;

/**
 * Counts the deliverable groups ahead of (:turn, :row), of every priority at or above the floor (the first parameter): the
 * unmarked groups whose head is free, and the groups whose mark has lapsed. Each part is one seek per priority on the claim
 * order's index; one statement with OR would read every group of the priority.
 */
export function groupsAheadSql(names: Names): string {
  const { messages, groups } = names;
  const ahead = (marked: string) => `SELECT 1 FROM level CROSS JOIN ${groups} g
  WHERE g.priority = level.priority AND ${marked} AND (g.last_claimed_at, g.rowid) < (:turn, :row)
    AND EXISTS (SELECT 1 FROM ${messages} h WHERE h.seq = ${headSeqSql(names)}
      AND (g.last_claimed_at = 0 OR h.locked_by IS NULL OR h.lock_expiry IS NULL OR h.lock_expiry < :now))
    AND ${lastLockSql(names)} IS NULL`;
  return `${levelsSql(groups, false)}
SELECT COUNT(*) FROM (
  ${ahead('g.blocked_until IS NULL AND g.last_claimed_at <= :turn')}
  UNION ALL
  ${ahead('g.blocked_until < :now')}
  LIMIT ${MAX_GROUPS_AHEAD}
)`;
}

/** For a claim without routing keys. At most MAX_GROUPS_AHEAD. */
export function countGroupsAhead({ db, names, now }: Snapshot, groupId: string, floor: number): number {
  const own = db
    .prepare(`SELECT last_claimed_at AS turn, rowid AS row FROM ${names.groups} WHERE group_id = ?`)
    .get(groupId) as { turn: number; row: number } | undefined;
  if (!own) return 0;
  return db
    .prepare(groupsAheadSql(names))
    .pluck()
    .get(floor, { ...own, now }) as number;
}
