/** holders and release: who holds leases, and the recovery of what dead workers held. */
import type { Holder } from '../../transport.ts';
import { PARKED, prepare, type Queue } from '../queue.ts';

/**
 * The locked messages, found through the groups that have any. In a group with one lock the look ends at the first
 * locked message, which is nearly always the head; only one with several is read whole.
 */
const lockedSql = (messages: string, groups: string) => `
SELECT m.seq, m.group_id AS groupId, m.locked_by AS workerId FROM ${groups} g JOIN ${messages} m ON m.seq =
  (SELECT seq FROM ${messages} WHERE group_id = g.group_id AND locked_by IS NOT NULL ORDER BY seq LIMIT 1)
WHERE g.locks = 1
UNION ALL
SELECT m.seq, m.group_id, m.locked_by FROM ${groups} g JOIN ${messages} m ON m.group_id = g.group_id
WHERE g.locks > 1 AND m.locked_by IS NOT NULL`;

export function makeHolders(queue: Queue) {
  const { messages, groups } = queue.names;
  const locked = lockedSql(messages, groups);
  const holders = prepare(
    queue,
    `SELECT workerId, COUNT(*) AS leases FROM (${locked}) WHERE workerId <> ? GROUP BY workerId ORDER BY workerId`,
  );
  const held = prepare(
    queue,
    `SELECT seq, groupId FROM (${locked}) WHERE workerId <> ? AND workerId IN (SELECT value FROM json_each(?))`,
  );
  const free = prepare(queue, `UPDATE ${messages} SET locked_by = NULL, lock_expiry = NULL WHERE seq = ?`);
  return {
    list: () => holders.all(PARKED) as Holder[],
    release(workerIds: readonly string[]): number {
      const found = held.all(PARKED, JSON.stringify(workerIds)) as { seq: number; groupId: string }[];
      for (const { seq, groupId } of found) {
        free.run(seq);
        queue.own.forget(seq);
        queue.tell('nacked', { seq, groupId });
      }
      return found.length;
    },
  };
}
