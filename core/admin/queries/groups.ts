/** The list of groups: which rows the page shows, then the head, depth and lock of those few. */
import type { Database } from 'better-sqlite3';
import type { GroupRow, GroupSort, GroupsQuery, Page } from '../../contract/admin.ts';
import type { Names } from '../../sqlite/file/names.ts';
import { toMsOrNull } from '../../sqlite/file/time-units.ts';
import { countGroupsSql, headSeq, holderSql, lastLockSql, stateSql } from './message-state.ts';
import { bound, filterOf, likePattern, windowOf } from './page-filter.ts';

type Raw = Omit<GroupRow, 'expiresAt' | 'oldestPublishedAt' | 'lastClaimedAt'> & {
  readonly expiresAt: number | null;
  readonly oldestPublishedAt: number | null;
  readonly lastClaimedAt: number;
};

/**
 * The `column` of the lock that the group's state speaks of: its head's, unless the head is free and a message behind it
 * is locked.
 */
const lockSql = (names: Names, column: 'seq' | 'lock_expiry') => `CASE
  WHEN g.locked_behind AND (m.locked_by IS NULL OR m.lock_expiry < :now)
    THEN COALESCE(${lastLockSql(names, column)}, m.${column})
  ELSE m.${column}
END`;

/** The age of a group is that of its head, and heads are as old as their seq is low. */
function orderSql(names: Names): Record<GroupSort, string> {
  return {
    groupId: 'g.group_id',
    priority: 'g.priority',
    lastClaimed: 'g.last_claimed_at',
    oldest: 'm.seq',
    expiry: `${lockSql(names, 'lock_expiry')} IS NULL, ${lockSql(names, 'lock_expiry')}`,
    depth: `(SELECT COUNT(*) FROM ${names.messages} WHERE group_id = g.group_id)`,
  };
}

export function groupsPage(db: Database, names: Names, query: GroupsQuery, now: number): Page<GroupRow> {
  const { offset, limit } = windowOf(query);
  const { sort = 'groupId', descending = false, state, search, minPriority, routingKey } = query;
  const { where, values } = filterOf(
    {
      search: String.raw`g.group_id LIKE :search ESCAPE '\'`,
      state: `${stateSql(names)} = :state`,
      minPriority: 'g.priority >= :minPriority',
      routingKey: 'g.routing_key = :routingKey',
    },
    { search: likePattern(search), state, minPriority, routingKey },
  );
  const from = `FROM ${names.groups} g JOIN ${names.messages} m ON m.seq = ${headSeq(names)}`;
  const direction = descending ? 'DESC' : 'ASC';
  const page = `SELECT g.rowid ${from} ${where}
ORDER BY ${orderSql(names)[sort]} ${direction}, g.rowid ${direction} LIMIT :limit OFFSET :offset`;
  const total = where ? `SELECT COUNT(*) ${from} ${where}` : countGroupsSql(names);
  const look = (sql: string) =>
    db
      .prepare(sql)
      .pluck()
      .all(bound(sql, { ...values, now, limit, offset })) as number[];
  return {
    now: now * 1000,
    total: look(total)[0] ?? 0,
    rows: look(page).map(rowReader(db, names, now)),
  };
}

function rowReader(db: Database, names: Names, now: number): (rowid: number) => GroupRow {
  const select = db.prepare(`SELECT g.group_id AS groupId, g.priority, g.routing_key AS routingKey,
  (SELECT COUNT(*) FROM ${names.messages} WHERE group_id = g.group_id) AS depth,
  m.seq AS headSeq, ${stateSql(names)} AS headState, ${holderSql('k')} AS holder,
  k.lock_expiry AS expiresAt, m.attempts, m.last_error AS lastError, m.published_at AS oldestPublishedAt,
  g.last_claimed_at AS lastClaimedAt
FROM ${names.groups} g JOIN ${names.messages} m ON m.seq = ${headSeq(names)}
  JOIN ${names.messages} k ON k.seq = ${lockSql(names, 'seq')} WHERE g.rowid = :rowid`);
  return (rowid) => {
    const row = select.get({ rowid, now }) as Raw;
    return {
      ...row,
      expiresAt: toMsOrNull(row.expiresAt),
      oldestPublishedAt: toMsOrNull(row.oldestPublishedAt),
      lastClaimedAt: row.lastClaimedAt > 0 ? toMsOrNull(row.lastClaimedAt) : null,
    };
  };
}
