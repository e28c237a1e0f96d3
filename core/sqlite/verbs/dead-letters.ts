/** deadLetters: lists the dead letters, and takes one out. */
import type { DeadLetter } from '../../contract/transport.ts';
import { toMs, toMsOrNull } from '../file/time-units.ts';
import { prepare, type VerbContext } from './verb-context.ts';

type Row = Omit<DeadLetter, 'buriedAt' | 'publishedAt'> & { buriedAt: number; publishedAt: number | null };

export interface DeadLetterVerbs {
  /** The oldest `limit` dead letters with a seq above `afterSeq`. */
  list(afterSeq: number, limit: number): DeadLetter[];
  /** Removes a dead letter and returns it; null when there is none with this seq. */
  take(seq: number): DeadLetter | null;
}

export function makeDeadLetters(context: VerbContext): DeadLetterVerbs {
  const { deadLetters } = context.names;
  const columns = `seq, group_id AS groupId, event AS eventJson, priority, routing_key AS routingKey, attempts,
  published_at AS publishedAt, buried_at AS buriedAt, last_error AS error`;
  const select = prepare(context, `SELECT ${columns} FROM ${deadLetters} WHERE seq > ? ORDER BY seq LIMIT ?`);
  const remove = prepare(context, `DELETE FROM ${deadLetters} WHERE seq = ? RETURNING ${columns}`);
  const inMs = (row: Row): DeadLetter => ({
    ...row,
    buriedAt: toMs(row.buriedAt),
    publishedAt: toMsOrNull(row.publishedAt),
  });
  return {
    list: (afterSeq, limit) => (select.all(afterSeq, limit) as Row[]).map(inMs),
    take(seq) {
      const row = remove.get(seq) as Row | undefined;
      return row ? inMs(row) : null;
    },
  };
}
