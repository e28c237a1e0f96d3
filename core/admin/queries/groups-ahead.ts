/** How many groups a claim comes to before a given one. */
import type { Database } from 'better-sqlite3';
import type { Names } from '../../sqlite/file/names.ts';
import { levelsSql } from '../../sqlite/verbs/claim-order.ts';
import { headSeq, lastLockSql } from './message-state.ts';

/** Counting ends here. */
export const MOST_COUNTED = 1000;

/**
 * Deliverable groups of every priority at or above the floor (the first parameter) with their turn before (:turn, :row):
 * those without a mark whose head is free, and those whose mark has lapsed. Each by a seek for each priority on the index
 * by turn; one statement with OR would read all of the level.
 */
export function aheadSql(names: Names): string {
  const { messages, groups } = names;
  const before = (marked: string) => `SELECT 1 FROM level CROSS JOIN ${groups} g
  WHERE g.priority = level.priority AND ${marked} AND (g.last_claimed_at, g.rowid) < (:turn, :row)
    AND EXISTS (SELECT 1 FROM ${messages} h WHERE h.seq = ${headSeq(names)}
      AND (g.last_claimed_at = 0 OR h.locked_by IS NULL OR h.lock_expiry IS NULL OR h.lock_expiry < :now))
    AND NOT (g.locked_behind AND ${lastLockSql(names)} IS NOT NULL)`;
  return `${levelsSql(groups, false)}
SELECT COUNT(*) FROM (
  ${before('g.blocked_until IS NULL AND g.last_claimed_at <= :turn')}
  UNION ALL
  ${before('g.blocked_until < :now')}
  LIMIT ${MOST_COUNTED}
)`;
}

/** For a claim without routing keys; at most MOST_COUNTED. */
export function groupsAhead(db: Database, names: Names, groupId: string, floor: number, now: number): number {
  const own = db
    .prepare(`SELECT last_claimed_at AS turn, rowid AS row FROM ${names.groups} WHERE group_id = ?`)
    .get(groupId) as { turn: number; row: number } | undefined;
  if (!own) return 0;
  return db
    .prepare(aheadSql(names))
    .pluck()
    .get(floor, { ...own, now }) as number;
}
