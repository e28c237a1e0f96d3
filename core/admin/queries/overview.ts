/** The counts in the inspector's header, by the same states as the lists. */
import type { Database } from 'better-sqlite3';
import type { MessageState, Overview } from '../../contract/admin.ts';
import type { Names } from '../../sqlite/file/names.ts';
import { toMsOrNull } from '../../sqlite/file/time-units.ts';
import { countGroupsSql, foremostSql, stateSql } from './message-state.ts';

/** Of the locked messages only: the state of the others is not counted, and costs most. */
const locksSql = (names: Names) => `SELECT state, COUNT(*) AS count FROM (
  SELECT ${stateSql(names)} AS state FROM ${foremostSql(names, true)} WHERE m.locked_by IS NOT NULL
) GROUP BY state`;

export function overview(db: Database, names: Names, now: number): Overview {
  const { messages, deadLetters } = names;
  const one = (sql: string) => db.prepare(sql).pluck().get() as number | null | undefined;
  const count = (table: string) => one(`SELECT COUNT(*) FROM ${table}`) ?? 0;
  const locks = db.prepare(locksSql(names)).all({ now }) as { state: MessageState; count: number }[];
  const locked = (state: MessageState) => locks.find((lock) => lock.state === state)?.count ?? 0;
  return {
    now: now * 1000,
    file: db.name,
    messages: count(messages),
    groups: one(countGroupsSql(names)) ?? 0,
    dead: count(deadLetters),
    leased: locked('leased'),
    parked: locked('parked'),
    lapsed: locked('lapsed'),
    oldestPublishedAt: toMsOrNull(one(`SELECT published_at FROM ${messages} ORDER BY seq LIMIT 1`) ?? null),
  };
}
