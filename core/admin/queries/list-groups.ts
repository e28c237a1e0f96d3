/** The list of groups. One query finds the page's rows; another reads the head, depth and lock of each. */
import type { GroupRow, GroupSort, GroupsQuery, Page } from '../../contract/admin.ts';
import type { Names } from '../../sqlite/file/names.ts';
import { toMs, toMsOrNull } from '../../sqlite/file/time-units.ts';
import { likePattern, pageOf, whereSql } from './list-sql.ts';
import { countGroupsSql, headSeqSql, holderSql, lastLockSql, stateSql } from './message-state.ts';
import type { Snapshot, Steps } from './snapshot.ts';

const depthSql = ({ messages }: Names) => `(SELECT COUNT(*) FROM ${messages} WHERE group_id = g.group_id)`;

/**
 * A `column` of the lock that decides the group's state: the head's, unless the head is free and a message behind it is
 * locked.
 */
const lockSql = (names: Names, column: 'seq' | 'lock_expiry') => `CASE
  WHEN m.locked_by IS NULL OR m.lock_expiry < :now
    THEN COALESCE(${lastLockSql(names, column)}, m.${column})
  ELSE m.${column}
END`;

function orderSql(names: Names): Record<GroupSort, string> {
  return {
    groupId: 'g.group_id',
    priority: 'g.priority',
    lastClaimed: 'g.last_claimed_at',
    // A group is as old as its head, and a message with a lower seq was published earlier.
    oldest: 'm.seq',
    expiry: `${lockSql(names, 'lock_expiry')} IS NULL, ${lockSql(names, 'lock_expiry')}`,
    depth: depthSql(names),
  };
}

export function* listGroups(snapshot: Snapshot, query: GroupsQuery): Steps<Page<GroupRow>> {
  const { db, names, now } = snapshot;
  const { sort = 'groupId', descending = false, state, search, minPriority, routingKey } = query;
  const { where, values } = whereSql(
    {
      search: String.raw`g.group_id LIKE :search ESCAPE '\'`,
      state: `${stateSql(names)} = :state`,
      minPriority: 'g.priority >= :minPriority',
      routingKey: 'g.routing_key = :routingKey',
    },
    { search: likePattern(search), state, minPriority, routingKey },
  );
  const from = `FROM ${names.groups} g JOIN ${names.messages} m ON m.seq = ${headSeqSql(names)}`;
  const direction = descending ? 'DESC' : 'ASC';
  const page = `SELECT g.rowid ${from} ${where}
ORDER BY ${orderSql(names)[sort]} ${direction}, g.rowid ${direction} LIMIT :limit OFFSET :offset`;
  const total = where ? `SELECT COUNT(*) ${from} ${where}` : countGroupsSql(names);
  const numbers = (sql: string) =>
    db
      .prepare(sql)
      .pluck()
      .all({ ...values, ...pageOf(query), now }) as number[];
  const count = numbers(total)[0] ?? 0;
  yield;
  return { now: toMs(now), total: count, rows: numbers(page).flatMap(rowReader(snapshot)) };
}

type StoredRow = Omit<GroupRow, 'lastClaimedAt'> & { readonly lastClaimedAt: number };

/** Returns a function that reads one row: none where the group has been drained since. In a stored row, times are epoch seconds. */
function rowReader({ db, names, now }: Snapshot): (rowid: number) => GroupRow | [] {
  const select = db.prepare(`SELECT g.group_id AS groupId, g.priority, g.routing_key AS routingKey,
  ${depthSql(names)} AS depth, m.seq AS headSeq, ${stateSql(names)} AS headState, ${holderSql('k')} AS holder,
  k.lock_expiry AS expiresAt, m.attempts, m.last_error AS lastError, m.published_at AS oldestPublishedAt,
  g.last_claimed_at AS lastClaimedAt
FROM ${names.groups} g JOIN ${names.messages} m ON m.seq = ${headSeqSql(names)}
  JOIN ${names.messages} k ON k.seq = ${lockSql(names, 'seq')} WHERE g.rowid = :rowid`);
  return (rowid) => {
    const row = select.get({ rowid, now }) as StoredRow | undefined;
    if (!row) return [];
    return {
      ...row,
      expiresAt: toMsOrNull(row.expiresAt),
      oldestPublishedAt: toMsOrNull(row.oldestPublishedAt),
      lastClaimedAt: row.lastClaimedAt > 0 ? toMs(row.lastClaimedAt) : null,
    };
  };
}
