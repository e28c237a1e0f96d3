/** The counts in the inspector's header, with the same states as the lists. */
import type { MessageState, Overview } from '../../contract/admin.ts';
import type { Names } from '../../sqlite/file/names.ts';
import { toMs } from '../../sqlite/file/time-units.ts';
import { countGroupsSql, foremostSql, IS_FOREMOST_HEAD, stateSql } from './message-state.ts';
import type { Snapshot, Steps } from './snapshot.ts';
import { asMsOrNull } from './stored-values.ts';

/** Counts the locked messages only: the header does not show the other states, which would cost most. */
const locksSql = (names: Names) => `SELECT state, COUNT(*) AS count FROM (
  SELECT ${stateSql(names, IS_FOREMOST_HEAD)} AS state FROM ${foremostSql(names, true)} WHERE m.locked_by IS NOT NULL
) GROUP BY state`;

export function* readOverview({ db, names, now }: Snapshot): Steps<Overview> {
  const { messages, deadLetters } = names;
  const value = (sql: string) => db.prepare(sql).pluck().get() as number | null | undefined;
  const count = (table: string) => value(`SELECT COUNT(*) FROM ${table}`) ?? 0;
  const messageCount = count(messages);
  yield;
  const groupCount = value(countGroupsSql(names)) ?? 0;
  yield;
  const locks = db.prepare(locksSql(names)).all({ now }) as { state: MessageState; count: number }[];
  const locked = (state: MessageState) => locks.find((lock) => lock.state === state)?.count ?? 0;
  return {
    now: toMs(now),
    file: db.name,
    messages: messageCount,
    groups: groupCount,
    dead: count(deadLetters),
    leased: locked('leased'),
    parked: locked('parked'),
    lapsed: locked('lapsed'),
    oldestPublishedAt: asMsOrNull(value(`SELECT published_at FROM ${messages} ORDER BY seq LIMIT 1`)),
  };
}
