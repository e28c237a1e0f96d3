/**
 * purge: removes dead letters and rows of the journal that are older than asked, or too many. It removes the oldest ids first
 * and only a few at a time, so that no other writer waits for long.
 */
import type { KeepLimits, Purged, Retention } from '../../contract/retention.ts';
import { toSeconds } from '../file/time-units.ts';
import { prepare, type VerbContext } from './verb-context.ts';

export interface PurgeVerbs {
  /** Whether `purge` would remove anything at `now` (epoch ms). Only reads. */
  isDue(retention: Retention, now: number, limit: number): boolean;
  /** Removes at most `limit` rows of each kind. */
  purge(retention: Retention, limit: number): Purged;
}

interface Table {
  /** The ids to remove, at most `limit`. */
  due(limits: KeepLimits | undefined, now: number, limit: number): number[];
  remove(ids: readonly number[]): void;
}

/** `time` is the column with the row's time, in epoch seconds. */
function makeTable(context: VerbContext, table: string, time: string): Table {
  // Only the oldest ids: an index on the time would make each burial write one page more. So a row whose time a
  // wrong clock has put into the future is looked at each time, and holds up the others only where `limit` rows have such times.
  const older = prepare(
    context,
    `SELECT id FROM (SELECT id, ${time} FROM ${table} ORDER BY id LIMIT ?) WHERE ${time} < ?`,
  ).pluck();
  const surplus = prepare(
    context,
    `SELECT id FROM ${table} WHERE id <= (SELECT id FROM ${table} ORDER BY id DESC LIMIT 1 OFFSET ?) ORDER BY id LIMIT ?`,
  ).pluck();
  const remove = prepare(context, `DELETE FROM ${table} WHERE id IN (SELECT value FROM json_each(?))`);
  return {
    due({ maxAgeMs, maxCount } = {}, now, limit) {
      const ids = new Set<number>();
      if (maxCount !== undefined) for (const id of surplus.all(maxCount, limit)) ids.add(id as number);
      if (maxAgeMs !== undefined)
        for (const id of older.all(limit, toSeconds(now - maxAgeMs))) ids.add(id as number);
      return [...ids].slice(0, limit);
    },
    remove: (ids) => void remove.run(JSON.stringify(ids)),
  };
}

export function makePurge(context: VerbContext): PurgeVerbs {
  const deadLetters = makeTable(context, context.names.deadLetters, 'buried_at');
  const journal = makeTable(context, context.names.journal, 'at');
  return {
    isDue: (retention, now, limit) =>
      deadLetters.due(retention.deadLetters, now, limit).length > 0 ||
      journal.due(retention.journal, now, limit).length > 0,
    purge(retention, limit) {
      const { now } = context.time;
      const dead = deadLetters.due(retention.deadLetters, now, limit);
      const rows = journal.due(retention.journal, now, limit);
      deadLetters.remove(dead);
      journal.remove(rows);
      return {
        deadLetters: dead.length,
        journal: rows.length,
        hasMore: dead.length === limit || rows.length === limit,
      };
    },
  };
}
