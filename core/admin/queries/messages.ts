/**
 * The list of messages, dead letters included. Two steps: which seqs the page shows, by the narrowest scan there is, and
 * then what is shown of those few; so that passing over a million rows reads nothing of them but their keys.
 */
import type { Database } from 'better-sqlite3';
import type { MessageRow, MessagesQuery, Page } from '../../contract/admin.ts';
import type { Names } from '../../sqlite/file/names.ts';
import { toMsOrNull } from '../../sqlite/file/time-units.ts';
import { foremostSql, holderSql, stateSql } from './message-state.ts';
import { bound, filterOf, likePattern, windowOf } from './page-filter.ts';

const PREVIEW_LENGTH = 200;

interface Key {
  readonly seq: number;
  readonly dead: number;
}

type Raw = Omit<MessageRow, 'expiresAt' | 'publishedAt'> & {
  readonly expiresAt: number | null;
  readonly publishedAt: number | null;
};

const ORDERS = { seq: 'seq', published: 'seq', groupId: 'group_id', attempts: 'attempts' } as const;

export function messagesPage(
  db: Database,
  names: Names,
  query: MessagesQuery,
  now: number,
): Page<MessageRow> {
  const { offset, limit } = windowOf(query);
  const keys = keysSql(names, query);
  const all = keys.values;
  const total = countSql(names, query) ?? `SELECT COUNT(*) FROM (${keys.sql})`;
  const page = db.prepare(`${keys.sql} ORDER BY ${orderOf(query)} LIMIT :limit OFFSET :offset`);
  return {
    now: now * 1000,
    total: db
      .prepare(total)
      .pluck()
      .get(bound(total, { ...all, now })) as number,
    rows: rowsFor(db, names, page.all(bound(page.source, { ...all, now, limit, offset })) as Key[], now),
  };
}

function orderOf({ sort = 'seq', descending = false }: MessagesQuery): string {
  const column = ORDERS[sort];
  const direction = descending ? 'DESC' : 'ASC';
  return column === 'seq' ? `seq ${direction}` : `${column} ${direction}, seq ${direction}`;
}

/** The keys of what matches, as (seq, dead) and what the order needs. */
function keysSql(names: Names, { state, groupId, search, sort = 'seq' }: MessagesQuery) {
  const { messages, groups, deadLetters } = names;
  const extra =
    sort === 'groupId' ? ', m.group_id AS group_id' : sort === 'attempts' ? ', m.attempts AS attempts' : '';
  const { where, values } = filterOf(
    {
      groupId: 'm.group_id = :groupId',
      search: String.raw`(m.group_id LIKE :search ESCAPE '\' OR m.event LIKE :search ESCAPE '\')`,
    },
    { groupId, search: likePattern(search) },
  );
  const and = (condition: string) => (where ? `${where} AND ${condition}` : `WHERE ${condition}`);
  const dead = `SELECT m.seq AS seq, 1 AS dead${extra} FROM ${deadLetters} m ${where}`;
  const live = (from: string, conditions: string) =>
    `SELECT m.seq AS seq, 0 AS dead${extra} FROM ${from} ${conditions}`;
  const withGroup = `${messages} m LEFT JOIN ${groups} g ON g.group_id = m.group_id`;
  if (state === 'dead') return { sql: dead, values };
  if (state === 'waiting') return { sql: live(withGroup, and(`${stateSql(names)} = 'waiting'`)), values };
  if (state !== undefined) {
    return {
      sql: live(foremostSql(names, state !== 'ready'), and(`${stateSql(names)} = :state`)),
      values: { ...values, state },
    };
  }
  return { sql: `SELECT * FROM (${live(`${messages} m`, where)} UNION ALL ${dead})`, values };
}

/** How many, where that is known without looking at every message: a table's own count is read off an index. */
function countSql(names: Names, { state, groupId, search }: MessagesQuery): string | null {
  if (groupId !== undefined || search) return null;
  const { messages, deadLetters } = names;
  const every = `(SELECT COUNT(*) FROM ${messages})`;
  if (state === undefined) return `SELECT ${every} + (SELECT COUNT(*) FROM ${deadLetters})`;
  if (state !== 'waiting') return null;
  return `SELECT ${every} - COUNT(*) FROM ${foremostSql(names, false)} WHERE ${stateSql(names)} <> 'waiting'`;
}

/** An event that another program wrote as a BLOB is shown as the text it would be. */
export function rowsFor(db: Database, names: Names, keys: readonly Key[], now: number): MessageRow[] {
  const columns = `m.seq, m.group_id AS groupId, m.attempts, m.last_error AS lastError,
  substr(CAST(m.event AS TEXT), 1, ${PREVIEW_LENGTH}) AS preview, m.published_at AS publishedAt`;
  const live =
    db.prepare(`SELECT ${columns}, ${stateSql(names)} AS state, COALESCE(g.priority, 0) AS priority,
  g.routing_key AS routingKey, ${holderSql('m')} AS holder, m.lock_expiry AS expiresAt
FROM ${names.messages} m LEFT JOIN ${names.groups} g ON g.group_id = m.group_id WHERE m.seq = :seq`);
  const dead = db.prepare(`SELECT ${columns}, 'dead' AS state, m.priority, m.routing_key AS routingKey,
  NULL AS holder, NULL AS expiresAt FROM ${names.deadLetters} m WHERE m.seq = :seq`);
  return keys.map((key) => {
    const row = (key.dead ? dead.get({ seq: key.seq }) : live.get({ seq: key.seq, now })) as Raw;
    return { ...row, expiresAt: toMsOrNull(row.expiresAt), publishedAt: toMsOrNull(row.publishedAt) };
  });
}
