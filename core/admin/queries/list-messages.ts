/**
 * The list of messages, dead letters included. One query finds the keys of the page's rows by the narrowest scan; another
 * reads the displayed columns of those rows. Skipping a million rows then reads only their keys.
 */
import type { Statement } from 'better-sqlite3';
import type { MessageRow, MessageSort, MessagesQuery, Page } from '../../contract/admin.ts';
import type { Names } from '../../sqlite/file/names.ts';
import { toMs } from '../../sqlite/file/time-units.ts';
import { AnswerSize } from './answer-size.ts';
import { containsSql, pageOf, type Values, whereSql } from './list-sql.ts';
import { foremostSql, holderSql, IS_FOREMOST_HEAD, stateSql } from './message-state.ts';
import { damaged, type Snapshot, type Steps } from './snapshot.ts';
import { asMsOrNull, asNumber, asText, asTextOrNull } from './stored-values.ts';

/** The number of characters of an event that a row shows. */
export const PREVIEW_LENGTH = 200;

type Key = Pick<MessageRow, 'seq' | 'deadId'>;

const ORDERS = {
  seq: 'seq',
  published: 'seq',
  groupId: 'group_id',
  attempts: 'attempts',
} satisfies Record<MessageSort, string>;

export function* listMessages(snapshot: Snapshot, query: MessagesQuery): Steps<Page<MessageRow>> {
  const { db, names, now } = snapshot;
  const keys = keysSql(names, query);
  const values = { ...keys.values, ...pageOf(query), now };
  const total = countSql(names, query) ?? `SELECT COUNT(*) FROM (${keys.sql})`;
  const page = `${keys.sql} ORDER BY ${orderSql(query)} LIMIT :limit OFFSET :offset`;
  const count = db.prepare(total).pluck().get(values) as number;
  yield;
  return db.transaction(() => ({
    now: toMs(now),
    total: count,
    rows: readRows(snapshot, readKeys(db.prepare(page), values)),
  }))();
}

/** Without the column of the order, whose texts may be long. */
function readKeys(page: Statement, values: Values): Key[] {
  // As BigInt: a seq beyond 2^53, which another program may have written, would not be found as a double.
  const rows = page.safeIntegers(true).iterate(values) as Iterable<Key>;
  return Array.from(rows, ({ seq, deadId }) => ({ seq, deadId }));
}

function orderSql({ sort = 'seq', descending = false }: MessagesQuery): string {
  const column = ORDERS[sort];
  const direction = descending ? 'DESC' : 'ASC';
  const bySeq = `seq ${direction}, deadId ${direction}`;
  return column === 'seq' ? bySeq : `${column} ${direction}, ${bySeq}`;
}

/** The keys of the matching rows, with the column to order by. */
function keysSql(names: Names, { state, groupId, search, sort = 'seq' }: MessagesQuery) {
  const { messages, groups, deadLetters } = names;
  const order = ORDERS[sort] === 'seq' ? '' : `, m.${ORDERS[sort]} AS ${ORDERS[sort]}`;
  const contains = containsSql(['m.group_id', 'm.event'], search);
  const { where, values } = whereSql(
    { groupId: 'm.group_id = :groupId', search: contains.condition },
    { groupId, ...contains.values },
  );
  const and = (condition: string) => (where ? `${where} AND ${condition}` : `WHERE ${condition}`);
  const dead = `SELECT m.seq AS seq, m.id AS deadId${order} FROM ${deadLetters} m ${where}`;
  const live = (from: string, conditions: string) =>
    `SELECT m.seq AS seq, NULL AS deadId${order} FROM ${from} ${conditions}`;
  const withGroup = `${messages} m LEFT JOIN ${groups} g ON g.group_id = m.group_id`;
  if (state === 'dead') return { sql: dead, values };
  if (state === 'waiting') return { sql: live(withGroup, and(`${stateSql(names)} = 'waiting'`)), values };
  if (state !== undefined) {
    return {
      sql: live(foremostSql(names, state !== 'ready'), and(`${stateSql(names, IS_FOREMOST_HEAD)} = :state`)),
      values: { ...values, state },
    };
  }
  // Not in a subquery: SQLite then merges the two in their order instead of sorting a million rows.
  return { sql: `${live(`${messages} m`, where)} UNION ALL ${dead}`, values };
}

/** The count where it needs no scan of the messages (SQLite counts a whole table from its smallest index); else null. */
function countSql(names: Names, { state, groupId, search }: MessagesQuery): string | null {
  if (groupId !== undefined || search) return null;
  const { messages, deadLetters } = names;
  const all = `(SELECT COUNT(*) FROM ${messages})`;
  if (state === undefined) return `SELECT ${all} + (SELECT COUNT(*) FROM ${deadLetters})`;
  if (state !== 'waiting') return null;
  return `SELECT ${all} - COUNT(*) FROM ${foremostSql(names, false)} WHERE ${stateSql(names, IS_FOREMOST_HEAD)} <> 'waiting'`;
}

/** Reads the rows of keys that the same snapshot has found. An event that another program stored as a BLOB is shown as text. */
export function readRows(snapshot: Snapshot, keys: readonly Key[]): MessageRow[] {
  const { db, names, now } = snapshot;
  const columns = `m.seq, m.group_id AS groupId, m.attempts, m.last_error AS lastError,
  substr(CAST(m.event AS TEXT), 1, ${PREVIEW_LENGTH}) AS preview, m.published_at AS publishedAt`;
  const live =
    db.prepare(`SELECT ${columns}, NULL AS deadId, ${stateSql(names)} AS state, COALESCE(g.priority, 0) AS priority,
  g.routing_key AS routingKey, ${holderSql('m')} AS holder, m.lock_expiry AS expiresAt
FROM ${names.messages} m LEFT JOIN ${names.groups} g ON g.group_id = m.group_id WHERE m.seq = :seq`);
  const dead =
    db.prepare(`SELECT ${columns}, m.id AS deadId, 'dead' AS state, m.priority, m.routing_key AS routingKey,
  NULL AS holder, NULL AS expiresAt FROM ${names.deadLetters} m WHERE m.id = ?`);
  const size = new AnswerSize(snapshot);
  return keys.map(({ seq, deadId }) => {
    const found = deadId === null ? live.get({ seq, now }) : dead.get(deadId);
    if (!found) throw damaged(snapshot, `message ${seq}`);
    const row = found as MessageRow;
    return size.add({
      ...row,
      seq: asNumber(row.seq),
      groupId: asText(row.groupId),
      attempts: asNumber(row.attempts),
      priority: asNumber(row.priority),
      routingKey: asTextOrNull(row.routingKey),
      holder: asTextOrNull(row.holder),
      lastError: asTextOrNull(row.lastError),
      expiresAt: asMsOrNull(row.expiresAt),
      publishedAt: asMsOrNull(row.publishedAt),
    });
  });
}
