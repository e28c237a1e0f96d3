/** deadLetters and republish: what was buried, and its way back into the queue. */
import type { DeadLetter } from '../../contract/transport.ts';
import { toMs, toMsOrNull } from '../file/time-units.ts';
import { prepare, type Queue } from './verb-context.ts';

type Row = Omit<DeadLetter, 'buriedAt' | 'publishedAt'> & { buriedAt: number; publishedAt: number | null };

export function makeDeadLetters(queue: Queue) {
  const { deadLetters } = queue.names;
  const columns = `seq, group_id AS groupId, event AS eventJson, priority, routing_key AS routingKey, attempts,
  published_at AS publishedAt, buried_at AS buriedAt, last_error AS error`;
  const list = prepare(queue, `SELECT ${columns} FROM ${deadLetters} WHERE seq > ? ORDER BY seq LIMIT ?`);
  const find = prepare(queue, `SELECT ${columns} FROM ${deadLetters} WHERE seq = ?`);
  const remove = prepare(queue, `DELETE FROM ${deadLetters} WHERE seq = ?`);
  const inMs = (row: Row): DeadLetter => ({
    ...row,
    buriedAt: toMs(row.buriedAt),
    publishedAt: toMsOrNull(row.publishedAt),
  });
  return {
    list: (afterSeq: number, limit: number) => (list.all(afterSeq, limit) as Row[]).map(inMs),
    /** Removes a dead letter and returns it; null when there is none with this seq. */
    take(seq: number): DeadLetter | null {
      const row = find.get(seq) as Row | undefined;
      if (!row) return null;
      remove.run(seq);
      return inMs(row);
    },
  };
}
