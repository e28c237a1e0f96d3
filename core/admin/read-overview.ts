/** The counts in the inspector's header. */
import type { Database } from 'better-sqlite3';
import { type Names, PARKED } from '../sqlite/names.ts';
import { toMsOrNull } from '../sqlite/seconds.ts';
import type { Overview } from './contract.ts';
import { headSeq, MAY_BE_LOCKED } from './state.ts';

interface Counts {
  readonly leased: number;
  readonly parked: number;
  readonly lapsed: number;
}

const locksSql = (names: Names) => `SELECT
  COUNT(*) FILTER (WHERE m.lock_expiry >= :now AND m.locked_by <> '${PARKED}') AS leased,
  COUNT(*) FILTER (WHERE m.lock_expiry >= :now AND m.locked_by = '${PARKED}') AS parked,
  COUNT(*) FILTER (WHERE m.lock_expiry < :now) AS lapsed
FROM ${names.groups} g JOIN ${names.messages} m ON m.seq = ${headSeq(names)}
WHERE ${MAY_BE_LOCKED} AND m.locked_by IS NOT NULL`;

export function overview(db: Database, names: Names, now: number): Overview {
  const { messages, groups, deadLetters } = names;
  const count = (table: string) => db.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get() as number;
  const oldest = db.prepare(`SELECT published_at FROM ${messages} ORDER BY seq LIMIT 1`).pluck().get();
  return {
    now: now * 1000,
    file: db.name,
    messages: count(messages),
    groups: count(groups),
    dead: count(deadLetters),
    ...(db.prepare(locksSql(names)).get({ now }) as Counts),
    oldestPublishedAt: toMsOrNull((oldest as number | null | undefined) ?? null),
  };
}
