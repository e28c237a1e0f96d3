/** holders and release: who holds leases, and the recovery of what dead workers held. */
import type { Holder } from '../../contract/transport.ts';
import { PARKED } from '../file/names.ts';
import { prepare, type Queue } from './verb-context.ts';

/** The locked messages: heads of groups that were ever claimed, and all of those in a group locked behind its head. */
const lockedSql = (messages: string, groups: string) => `
SELECT m.seq, m.group_id AS groupId, m.locked_by AS workerId FROM ${groups} g
JOIN ${messages} m ON m.seq = (SELECT MIN(seq) FROM ${messages} WHERE group_id = g.group_id)
WHERE g.last_claimed_at > 0 AND NOT g.locked_behind AND m.locked_by IS NOT NULL
UNION ALL
SELECT m.seq, m.group_id, m.locked_by FROM ${groups} g CROSS JOIN ${messages} m ON m.group_id = g.group_id
WHERE g.locked_behind AND m.locked_by IS NOT NULL`;

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
