/**
 * claim: takes the head of the next deliverable group under a lease. The order and the filter are the specification's
 * (lowest last_claimed_at, ties by rowid, priority floor, routing keys, no group with a message in flight); the search is by
 * seeks.
 *
 * A new group has last_claimed_at 0 and comes first, unless the option `fairness` places it last (publish.ts).
 *
 * For each level (see claim-order.ts) the index by turn gives the unmarked group that was claimed longest ago. Among these
 * groups (one for each level; without routing keys at most five) the one that was claimed longest ago is the candidate. If
 * its head turns out to be locked, the claim marks the group (blocked_until) and asks again: the first claim to encounter a
 * locked group marks it, later claims skip marked groups. The same statement reports whether some mark has lapsed. All
 * lapsed marks are then removed before a group is chosen, since any of those groups may be the one that was claimed longest
 * ago.
 */
import type { ClaimOptions, Lease } from '../../contract/transport.ts';
import { toMsOrNull, toSeconds } from '../file/time-units.ts';
import { levelParameters, levelsSql, ofLevel } from './claim-order.ts';
import { prepare, type VerbContext } from './verb-context.ts';

interface Candidate {
  /** 1 when some group's mark has lapsed: the other columns may then describe the wrong group. */
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

/** A group whose head can be taken. */
type Deliverable = Candidate & { groupRow: number; seq: number };

/** Removes the lapsed marks of one level. One statement for all levels reads every group once the file has been analysed. */
export function unmarkLapsedSql(groups: string, keyed: boolean): string {
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

/** Takes up to `limit` heads, each of another group. */
export type ClaimVerb = (
  workerId: string,
  visibilityMs: number,
  limit: number,
  options: ClaimOptions,
) => Lease<unknown>[];

/** A message whose event cannot be decoded is buried in the same transaction, and the claim goes on to the next. */
export function makeClaim(
  context: VerbContext,
  buryUnreadable: (message: { seq: number; groupId: string }, reason: string) => void,
): ClaimVerb {
  const { messages, groups } = context.names;
  const both = (sql: (keyed: boolean) => string) =>
    [prepare(context, sql(false)), prepare(context, sql(true))] as const;
  const unmarkLapsed = both((keyed) => unmarkLapsedSql(groups, keyed));
  const levels = both(
    (keyed) => `${levelsSql(groups, keyed)} SELECT * FROM level WHERE priority IS NOT NULL`,
  );
  // As BigInt: a priority beyond 2^53, which another program may have written, would not match as a double.
  for (const statement of levels) statement.raw().safeIntegers(true);
  const candidate = both((keyed) => candidateSql(messages, groups, keyed));
  const dropGhost = prepare(context, `DELETE FROM ${groups} WHERE rowid = ?`);
  const lastLock = prepare(
    context,
    `SELECT MAX(lock_expiry) FROM ${messages} WHERE group_id = ? AND locked_by IS NOT NULL`,
  ).pluck();
  const mark = prepare(context, `UPDATE ${groups} SET blocked_until = ? WHERE rowid = ?`);
  // At least a microsecond above the highest value, so that claims within one millisecond keep their order.
  const takeTurn = prepare(
    context,
    `UPDATE ${groups} SET last_claimed_at = MAX(?, (SELECT MAX(last_claimed_at) FROM ${groups}) + 0.000001)
WHERE rowid = ?`,
  );
  // Deliveries change, so the trigger's WHEN clause excludes this update: a group that is claimed has no mark.
  const lock = prepare(
    context,
    `UPDATE ${messages} SET locked_by = ?, lock_expiry = ?, attempts = attempts + 1, deliveries = deliveries + 1
WHERE seq = ?`,
  );

  /** The end of the lock that blocks this unmarked group; null when its head can be taken. */
  function blockingLock(
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

  function take(found: Deliverable, event: unknown, workerId: string, visibilityMs: number) {
    const expiresAt = context.time.now + visibilityMs;
    takeTurn.run(toSeconds(context.time.now), found.groupRow);
    lock.run(workerId, toSeconds(expiresAt), found.seq);
    const { seq, groupId } = found;
    const delivery = found.deliveries + 1;
    context.issuedLocks.add({ seq, lockedBy: workerId, delivery, expiresAt }, context.time);
    context.emitAfterCommit('claimed', { seq, groupId, workerId, expiresAt });
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

  function removeLapsedMarks(keyed: 0 | 1, parameters: (number | string)[], now: number): void {
    let removed = 0;
    for (const level of levels[keyed].all(...parameters) as unknown[][])
      removed += unmarkLapsed[keyed].run(...level, now).changes;
    // The candidate statement would report the same mark again: an endless loop that holds the write lock.
    if (removed === 0) throw new Error('A lapsed mark could not be removed.');
  }

  function next(keyed: 0 | 1, parameters: (number | string)[], now: number): Deliverable | null {
    for (;;) {
      const found = candidate[keyed].get(...parameters, now) as Candidate | undefined;
      if (found?.lapsed) {
        removeLapsedMarks(keyed, parameters, now);
        continue;
      }
      if (!found || found.groupRow === null) return null;
      const blockedUntil = blockingLock(found, now);
      if (found.seq === null) dropGhost.run(found.groupRow);
      else if (blockedUntil !== null) mark.run(blockedUntil, found.groupRow);
      else return found as Deliverable;
    }
  }

  return (workerId, visibilityMs, limit, options) => {
    const keyed = options.routingKeys ? 1 : 0;
    const parameters = levelParameters(options);
    const now = toSeconds(context.time.now);
    const leases: Lease<unknown>[] = [];
    while (leases.length < limit) {
      const found = next(keyed, parameters, now);
      if (!found) break;
      const decoded = context.decode(found.event);
      if ('reason' in decoded) buryUnreadable(found, decoded.reason);
      else leases.push(take(found, decoded.event, workerId, visibilityMs));
    }
    return leases;
  };
}
