/** deadLetters: lists the dead letters, and takes one out. */
import type { DeadLetter } from '../../contract/transport.ts';
import { toMs, toMsOrNull } from '../file/time-units.ts';
import { prepare, type VerbContext } from './verb-context.ts';

type Row = Omit<DeadLetter, 'buriedAt' | 'publishedAt'> & { buriedAt: number; publishedAt: number | null };

export interface DeadLetterVerbs {
  /** The oldest `limit` dead letters with an id above `afterId`. */
  list(afterId: number, limit: number): DeadLetter[];
  /** Removes a dead letter and returns it; null when there is none with this id. */
  take(id: number): DeadLetter | null;
}

export function makeDeadLetters(context: VerbContext): DeadLetterVerbs {
  const { deadLetters } = context.names;
  const columns = `id AS id, seq AS seq, group_id AS groupId, CAST(event AS TEXT) AS eventJson, priority AS priority,
  routing_key AS routingKey, attempts AS attempts,
  published_at AS publishedAt, buried_at AS buriedAt, last_error AS error`;
  const select = prepare(context, `SELECT ${columns} FROM ${deadLetters} WHERE id > ? ORDER BY id LIMIT ?`);
  const remove = prepare(context, `DELETE FROM ${deadLetters} WHERE id = ? RETURNING ${columns}`);
  const inMs = (row: Row): DeadLetter => ({
    ...row,
    buriedAt: toMs(row.buriedAt),
    publishedAt: toMsOrNull(row.publishedAt),
  });
  return {
    list: (afterId, limit) => (select.all(afterId, limit) as Row[]).map(inMs),
    take(id) {
      const row = remove.get(id) as Row | undefined;
      return row ? inMs(row) : null;
    },
  };
}
