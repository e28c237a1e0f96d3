/**
 * claim: the head of the next deliverable group, under a lease. The specification's order and filter (lowest
 * last_claimed_at, ties by rowid, floor, routing keys, nothing of the group in flight), found by seeks.
 *
 * For each priority at or above the floor (and each routing key) the index by turn gives the free group that waits
 * longest; the least of those, at most five, is the one. Groups whose lock has lapsed count as free, so they are
 * released first: each lock that ever lapses is stepped over once, not by every claim. A free group may still hold a
 * lapsed lock (`locks` > 0); if the clock stepped back meanwhile it holds again, so that is asked before it is taken.
 */
import type { Statement } from 'better-sqlite3';
import type { ClaimOptions, Lease } from '../../transport.ts';
import { prepare, type Queue } from '../queue.ts';
import { toMsOrNull, toSeconds } from '../seconds.ts';
import { levelsSql, ofLevel } from '../turn.ts';

interface Candidate {
  readonly groupRow: number;
  readonly groupId: string;
  readonly locks: number;
  /** Null for a ghost: a group's row without messages. */
  readonly seq: number | null;
  readonly event: unknown;
  readonly lockedBy: string | null;
  readonly lockExpiry: number | null;
  readonly attempts: number;
  readonly deliveries: number;
  readonly publishedAt: number | null;
  readonly lastError: string | null;
}

export function releaseSql(groups: string, keyed: boolean): string {
  return `${levelsSql(groups, keyed)}
UPDATE ${groups} SET blocked_until = NULL WHERE rowid IN (
  SELECT g.rowid FROM level CROSS JOIN ${groups} g WHERE ${ofLevel('g', keyed)} AND g.blocked_until < :now
)`;
}

export function candidateSql(messages: string, groups: string, keyed: boolean): string {
  return `${levelsSql(groups, keyed)}
SELECT g.rowid AS groupRow, g.group_id AS groupId, g.locks, m.seq, m.event, m.locked_by AS lockedBy,
  m.lock_expiry AS lockExpiry, m.attempts, m.deliveries, m.published_at AS publishedAt, m.last_error AS lastError
FROM (
  SELECT (SELECT f.rowid FROM ${groups} f WHERE ${ofLevel('f', keyed)} AND f.blocked_until IS NULL
           ORDER BY f.last_claimed_at, f.rowid LIMIT 1) AS groupRow
  FROM level WHERE level.priority IS NOT NULL
) next
JOIN ${groups} g ON g.rowid = next.groupRow
LEFT JOIN ${messages} m ON m.seq = (SELECT MIN(seq) FROM ${messages} WHERE group_id = g.group_id)
ORDER BY g.last_claimed_at, g.rowid LIMIT 1`;
}

/** Takes up to `limit` heads, each of another group: a claimed group is locked, so the next look passes it by. */
export type ClaimVerb = (
  workerId: string,
  visibilityMs: number,
  limit: number,
  options: ClaimOptions,
) => Lease<unknown>[];

/** `bury` takes a message that cannot be read out of the way, in the same transaction. */
export function makeClaim(
  queue: Queue,
  bury: (message: { seq: number; groupId: string }, reason: string) => void,
): ClaimVerb {
  const { messages, groups } = queue.names;
  const release = [false, true].map((keyed) => prepare(queue, releaseSql(groups, keyed)));
  const candidate = [false, true].map((keyed) => prepare(queue, candidateSql(messages, groups, keyed)));
  const dropGhost = prepare(queue, `DELETE FROM ${groups} WHERE rowid = ?`);
  const lastLock = prepare(
    queue,
    `SELECT MAX(lock_expiry) FROM ${messages} WHERE group_id = ? AND locked_by IS NOT NULL`,
  ).pluck();
  const block = prepare(queue, `UPDATE ${groups} SET blocked_until = ? WHERE rowid = ?`);
  // Deliveries rise, so the trigger on the lock columns stays out and this statement does its work. A step of a
  // microsecond above the highest keeps the order of claims that one reading of the clock cannot tell apart.
  const takeTurn = prepare(
    queue,
    `UPDATE ${groups} SET last_claimed_at = MAX(?, (SELECT MAX(last_claimed_at) FROM ${groups}) + 0.000001),
  locks = ?, blocked_until = ? WHERE rowid = ?`,
  );
  const lock = prepare(
    queue,
    `UPDATE ${messages} SET locked_by = ?, lock_expiry = ?, attempts = attempts + 1, deliveries = deliveries + 1
WHERE seq = ?`,
  );

  /** The end of the lock that keeps this free-looking group from being taken; null when it may be. */
  function standingLock(found: Candidate, now: number): number | null {
    if (found.locks === 0) return null;
    const headHasTheOnlyLock = found.locks === 1 && found.lockedBy !== null;
    const end = headHasTheOnlyLock ? found.lockExpiry : (lastLock.get(found.groupId) as number | null);
    return end !== null && end >= now ? end : null;
  }

  function take(found: Candidate & { seq: number }, event: unknown, workerId: string, visibilityMs: number) {
    const expiresAt = queue.now + visibilityMs;
    const until = toSeconds(expiresAt);
    const locks = found.locks + (found.lockedBy === null ? 1 : 0);
    takeTurn.run(toSeconds(queue.now), locks, until, found.groupRow);
    lock.run(workerId, until, found.seq);
    const { seq, groupId } = found;
    const delivery = found.deliveries + 1;
    queue.own.note(seq, workerId, delivery, expiresAt, queue.now);
    queue.tell('claimed', { seq, groupId, workerId, expiresAt });
    return {
      seq,
      groupId,
      event,
      workerId,
      expiresAt,
      attempt: found.attempts + 1,
      delivery,
      publishedAt: toMsOrNull(found.publishedAt),
      lastError: found.lastError,
    };
  }

  function next(select: Statement<unknown[], unknown>, filter: object, now: number): Candidate | null {
    for (;;) {
      const found = select.get(filter) as Candidate | undefined;
      if (!found) return null;
      const standing = standingLock(found, now);
      if (found.seq === null) dropGhost.run(found.groupRow);
      else if (standing !== null) block.run(standing, found.groupRow);
      else return found;
    }
  }

  return (workerId, visibilityMs, limit, { minPriority = 0, routingKeys }) => {
    const keyed = routingKeys === undefined ? 0 : 1;
    const now = toSeconds(queue.now);
    const filter = { floor: minPriority, ...(routingKeys && { keys: JSON.stringify(routingKeys) }) };
    release[keyed]?.run({ ...filter, now });
    const select = candidate[keyed] as Statement<unknown[], unknown>;
    const leases: Lease<unknown>[] = [];
    while (leases.length < limit) {
      const found = next(select, filter, now) as (Candidate & { seq: number }) | null;
      if (!found) break;
      const decoded = queue.decode(found.event);
      if ('reason' in decoded) bury(found, decoded.reason);
      else leases.push(take(found, decoded.event, workerId, visibilityMs));
    }
    return leases;
  };
}
