/**
 * claim: the head of the next deliverable group, under a lease. The specification's order and filter (lowest
 * last_claimed_at, ties by rowid, floor, routing keys, nothing of the group in flight), found by seeks.
 *
 * For each priority at or above the floor (and each routing key) the index by turn gives the unmarked group that waits
 * longest; the least of those, at most five, is the candidate. If its head turns out to be locked it gets its mark
 * (blocked_until) and the next is asked, so that a lock is stepped over once and not by every claim. Where the same
 * statement sees a mark that has lapsed, all such marks are removed first: those groups have their turn again.
 */
import type { ClaimOptions, Lease } from '../../contract/transport.ts';
import { toMsOrNull, toSeconds } from '../file/time-units.ts';
import { levelsSql, ofLevel, turnParameters } from './claim-order.ts';
import { prepare, type Queue } from './verb-context.ts';

interface Candidate {
  /** 1 when some group's mark has lapsed: then this row need not be the right one. */
  readonly lapsed: number;
  /** Null when every group is marked. */
  readonly groupRow: number | null;
  readonly groupId: string;
  readonly lockedBehind: number;
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

/** A group whose head may be taken. */
type Free = Candidate & { groupRow: number; seq: number };

/** For one level: joined to all of them in one statement, it reads every group once the file has been analysed. */
export function releaseSql(groups: string, keyed: boolean): string {
  const level = keyed ? 'routing_key = ? AND priority = ?' : 'priority = ?';
  return `UPDATE ${groups} SET blocked_until = NULL WHERE ${level} AND blocked_until < ?`;
}

export function candidateSql(messages: string, groups: string, keyed: boolean): string {
  return `${levelsSql(groups, keyed)}
SELECT next.lapsed, g.rowid AS groupRow, g.group_id AS groupId, g.locked_behind AS lockedBehind, m.seq, m.event, m.locked_by AS lockedBy,
  m.lock_expiry AS lockExpiry, m.attempts, m.deliveries, m.published_at AS publishedAt, m.last_error AS lastError
FROM (
  SELECT
    (SELECT f.rowid FROM ${groups} f WHERE ${ofLevel('f', keyed)} AND f.blocked_until IS NULL
      ORDER BY f.last_claimed_at, f.rowid LIMIT 1) AS groupRow,
    EXISTS (SELECT 1 FROM ${groups} b WHERE ${ofLevel('b', keyed)} AND b.blocked_until < ?) AS lapsed
  FROM level WHERE level.priority IS NOT NULL
) next
LEFT JOIN ${groups} g ON g.rowid = next.groupRow
LEFT JOIN ${messages} m ON m.seq = (SELECT MIN(seq) FROM ${messages} WHERE group_id = g.group_id)
ORDER BY next.lapsed DESC, g.rowid IS NULL, g.last_claimed_at, g.rowid LIMIT 1`;
}

/** Takes up to `limit` heads, each of another group: a claimed group goes to the end of the line, and is locked. */
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
  const both = (sql: (keyed: boolean) => string) =>
    [prepare(queue, sql(false)), prepare(queue, sql(true))] as const;
  const release = both((keyed) => releaseSql(groups, keyed));
  const levels = both(
    (keyed) => `${levelsSql(groups, keyed)} SELECT * FROM level WHERE priority IS NOT NULL`,
  );
  // Priorities come as they are: as a double, one beyond 2^53 would not be found again.
  for (const statement of levels) statement.raw().safeIntegers(true);
  const candidate = both((keyed) => candidateSql(messages, groups, keyed));
  const dropGhost = prepare(queue, `DELETE FROM ${groups} WHERE rowid = ?`);
  const lastLock = prepare(
    queue,
    `SELECT MAX(lock_expiry) FROM ${messages} WHERE group_id = ? AND locked_by IS NOT NULL`,
  ).pluck();
  const mark = prepare(queue, `UPDATE ${groups} SET blocked_until = ? WHERE rowid = ?`);
  // A step of a microsecond above the highest keeps the order of claims that one reading of the clock cannot tell apart.
  const takeTurn = prepare(
    queue,
    `UPDATE ${groups} SET last_claimed_at = MAX(?, (SELECT MAX(last_claimed_at) FROM ${groups}) + 0.000001)
WHERE rowid = ?`,
  );
  const lock = prepare(
    queue,
    `UPDATE ${messages} SET locked_by = ?, lock_expiry = ?, attempts = attempts + 1, deliveries = deliveries + 1
WHERE seq = ?`,
  );

  /** The end of the lock that keeps this unmarked group from being taken; null when it may be. */
  function standingLock(
    { groupId, lockedBehind, lockedBy, lockExpiry }: Candidate,
    now: number,
  ): number | null {
    const end = lockedBehind
      ? (lastLock.get(groupId) as number | null)
      : lockedBy === null
        ? null
        : lockExpiry;
    return typeof end === 'number' && end >= now ? end : null;
  }

  function take(found: Free, event: unknown, workerId: string, visibilityMs: number) {
    const expiresAt = queue.time.now + visibilityMs;
    const until = toSeconds(expiresAt);
    takeTurn.run(toSeconds(queue.time.now), found.groupRow);
    lock.run(workerId, until, found.seq);
    const { seq, groupId } = found;
    const delivery = found.deliveries + 1;
    queue.own.note({ seq, lockedBy: workerId, delivery, expiresAt }, queue.time);
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

  function releaseLapsed(keyed: 0 | 1, turn: (number | string)[], now: number): void {
    let released = 0;
    for (const level of levels[keyed].all(...turn) as unknown[][])
      released += release[keyed].run(...level, now).changes;
    // What was seen and cannot be released would be seen again for ever, under the write lock.
    if (released === 0) throw new Error('A lapsed mark could not be released.');
  }

  function next(keyed: 0 | 1, turn: (number | string)[], now: number): Free | null {
    for (;;) {
      const found = candidate[keyed].get(...turn, now) as Candidate | undefined;
      if (found?.lapsed) {
        releaseLapsed(keyed, turn, now);
        continue;
      }
      if (!found || found.groupRow === null) return null;
      const standing = standingLock(found, now);
      if (found.seq === null) dropGhost.run(found.groupRow);
      else if (standing !== null) mark.run(standing, found.groupRow);
      else return found as Free;
    }
  }

  return (workerId, visibilityMs, limit, options) => {
    const keyed = options.routingKeys ? 1 : 0;
    const turn = turnParameters(options);
    const now = toSeconds(queue.time.now);
    const leases: Lease<unknown>[] = [];
    while (leases.length < limit) {
      const found = next(keyed, turn, now);
      if (!found) break;
      const decoded = queue.decode(found.event);
      if ('reason' in decoded) bury(found, decoded.reason);
      else leases.push(take(found, decoded.event, workerId, visibilityMs));
    }
    return leases;
  };
}
