/** The list of groups. One query finds the page's rows; another reads the head, depth and lock of each. */
import type { GroupRow, GroupSort, GroupsQuery, Page } from '../../contract/admin.ts';
import type { Names } from '../../sqlite/file/names.ts';
import { toMs } from '../../sqlite/file/time-units.ts';
import { AnswerSize } from './answer-size.ts';
import { containsSql, pageOf, whereSql } from './list-sql.ts';
import { countGroupsSql, headSeqSql, holderSql, lastLockSql, stateSql } from './message-state.ts';
import { damaged, type Snapshot, type Steps } from './snapshot.ts';
import { asMsOrNull, asNumber, asText, asTextOrNull } from './stored-values.ts';

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
  const contains = containsSql(['g.group_id'], search);
  const { where, values } = whereSql(
    {
      search: contains.condition,
      state: `${stateSql(names)} = :state`,
      minPriority: 'g.priority >= :minPriority',
      routingKey: 'g.routing_key = :routingKey',
    },
    { ...contains.values, state, minPriority, routingKey },
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
  return db.transaction(() => ({
    now: toMs(now),
    total: count,
    rows: numbers(page).map(rowReader(snapshot)),
  }))();
}

/** Returns a function that reads a row that the same snapshot has found. */
function rowReader(snapshot: Snapshot): (rowid: number) => GroupRow {
  const { db, names, now } = snapshot;
  const select = db.prepare(`SELECT g.group_id AS groupId, g.priority, g.routing_key AS routingKey,
  ${depthSql(names)} AS depth, m.seq AS headSeq, ${stateSql(names)} AS headState, ${holderSql('k')} AS holder,
  k.lock_expiry AS expiresAt, m.attempts, m.last_error AS lastError, m.published_at AS oldestPublishedAt,
  g.last_claimed_at AS lastClaimedAt
FROM ${names.groups} g JOIN ${names.messages} m ON m.seq = ${headSeqSql(names)}
  JOIN ${names.messages} k ON k.seq = ${lockSql(names, 'seq')} WHERE g.rowid = :rowid`);
  const size = new AnswerSize(snapshot);
  return (rowid) => {
    const row = select.get({ rowid, now }) as GroupRow | undefined;
    if (!row) throw damaged(snapshot, `the head of the group in row ${rowid}`);
    return size.add({
      ...row,
      groupId: asText(row.groupId),
      priority: asNumber(row.priority),
      routingKey: asTextOrNull(row.routingKey),
      holder: asTextOrNull(row.holder),
      attempts: asNumber(row.attempts),
      lastError: asTextOrNull(row.lastError),
      expiresAt: asMsOrNull(row.expiresAt),
      oldestPublishedAt: asMsOrNull(row.oldestPublishedAt),
      lastClaimedAt: asNumber(row.lastClaimedAt) > 0 ? asMsOrNull(row.lastClaimedAt) : null,
    });
  };
}
