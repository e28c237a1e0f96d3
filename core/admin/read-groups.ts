/** The list of groups: which rows the page shows, then the head, depth and lock of those few. */
import type { Database } from 'better-sqlite3';
import { BadArgument } from '../errors.ts';
import { show } from '../options.ts';
import { type Names, PARKED } from '../sqlite/names.ts';
import { toMsOrNull } from '../sqlite/seconds.ts';
import type { GroupRow, GroupSort, GroupsQuery, Page } from './contract.ts';
import { filterOf, likePattern, windowOf } from './search.ts';
import { headSeq, stateSql } from './state.ts';

type Raw = Omit<GroupRow, 'expiresAt' | 'oldestPublishedAt' | 'lastClaimedAt'> & {
  readonly expiresAt: number | null;
  readonly oldestPublishedAt: number | null;
  readonly lastClaimedAt: number;
};

/** The age of a group is that of its head, and heads are as old as their seq is low. */
function orderSql(names: Names): Record<GroupSort, string> {
  return {
    groupId: 'g.group_id',
    priority: 'g.priority',
    lastClaimed: 'g.last_claimed_at',
    oldest: 'm.seq',
    expiry: 'm.lock_expiry IS NULL, m.lock_expiry',
    depth: `(SELECT COUNT(*) FROM ${names.messages} WHERE group_id = g.group_id)`,
  };
}

export function groupsPage(db: Database, names: Names, query: GroupsQuery, now: number): Page<GroupRow> {
  const { offset, limit } = windowOf(query);
  const { sort = 'groupId', descending = false, state, search, minPriority, routingKey } = query;
  const order = orderSql(names)[sort];
  if (!order)
    throw new BadArgument(`sort ${show(sort)} must be one of ${Object.keys(orderSql(names)).join(', ')}.`);
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
  const timed = state === undefined ? values : { ...values, now };
  const direction = descending ? 'DESC' : 'ASC';
  const page = db.prepare(
    `SELECT g.rowid ${from} ${where} ORDER BY ${order} ${direction}, g.rowid ${direction} LIMIT :limit OFFSET :offset`,
  );
  const rowids = page.pluck().all({ ...timed, limit, offset }) as number[];
  const count = where ? `SELECT COUNT(*) ${from} ${where}` : `SELECT COUNT(*) FROM ${names.groups}`;
  return {
    now: now * 1000,
    total: db.prepare(count).pluck().get(timed) as number,
    rows: rowids.map(rowReader(db, names, now)),
  };
}

function rowReader(db: Database, names: Names, now: number): (rowid: number) => GroupRow {
  const select = db.prepare(`SELECT g.group_id AS groupId, g.priority, g.routing_key AS routingKey,
  (SELECT COUNT(*) FROM ${names.messages} WHERE group_id = g.group_id) AS depth,
  m.seq AS headSeq, ${stateSql(names)} AS headState, CASE m.locked_by WHEN '${PARKED}' THEN NULL ELSE m.locked_by END AS holder,
  m.lock_expiry AS expiresAt, m.attempts, m.last_error AS lastError, m.published_at AS oldestPublishedAt,
  g.last_claimed_at AS lastClaimedAt
FROM ${names.groups} g JOIN ${names.messages} m ON m.seq = ${headSeq(names)} WHERE g.rowid = :rowid`);
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
