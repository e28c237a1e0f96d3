/**
 * Finds the group that a claim takes next, by seeks.
 *
 * For each level (see claim-order.ts) the index by turn gives the unmarked group that was claimed longest ago. Among these
 * groups (one for each level; without routing keys at most five) the one that was claimed longest ago is the candidate. If
 * its head turns out to be locked, or some lock behind the head holds, the group is marked (blocked_until) and the search
 * goes on: the first claim to encounter a locked group marks it, later claims skip marked groups. The same statement reports
 * whether some mark has lapsed. All lapsed marks are then removed before a group is chosen, since any of those groups may be
 * the one that was claimed longest ago.
 *
 * A new group has last_claimed_at 0 and comes first, unless the option `fairness` places it last (publish.ts).
 */
import { LeaseholdError } from '../../contract/errors.ts';
import type { ClaimOptions } from '../../contract/transport.ts';
import { isOutOfTurn } from '../file/schema.ts';
import { exactSql, levelParameters, levelsSql, ofLevel, unmarkLapsedSql } from './claim-order.ts';
import { MANY_KEYS, makeKeyWalk } from './key-walk.ts';
import { highestTurnSql } from './turns.ts';
import { prepare, type VerbContext } from './verb-context.ts';

/** What the file holds; other programs write these columns too, so a value can have another type than its column. */
interface Candidate {
  /** 1 when some group's mark has lapsed: the other columns may then describe the wrong group. */
  readonly lapsed: number;
  /** Null when every group is marked. Text beyond 2^53. */
  readonly groupRow: number | string | null;
  readonly groupId: unknown;
  /** Null for a ghost: a group's row without messages. Text beyond 2^53. */
  readonly seq: number | string | null;
  readonly event: unknown;
  readonly lockedBy: unknown;
  /** 1 when the head's own lock holds. */
  readonly headLocked: number;
  /** 1 when a lock that may stand behind the head holds. */
  readonly blocked: number;
  readonly attempts: number;
  readonly crashes: number;
  readonly deliveries: number;
  readonly fence: number;
  readonly publishedAt: number | null;
  readonly lastError: string | null;
  /** The highest last_claimed_at of all groups. */
  readonly highestTurn: unknown;
}

/** A group whose head can be taken. */
export type Deliverable = Omit<Candidate, 'groupRow' | 'seq'> & {
  readonly groupRow: number | string;
  readonly seq: number | string;
};

/** The rowid to bind. */
export const rowOf = (groupRow: number | string): number | bigint =>
  typeof groupRow === 'string' ? BigInt(groupRow) : groupRow;

type Parameters = (number | string)[];

/** The columns of Candidate for the group whose rowid is `groupRow` of `next`. Two parameters: now, now. */
function candidateColumns(messages: string, groups: string): string {
  return `${exactSql('g.rowid')} AS groupRow, g.group_id AS groupId, ${exactSql('m.seq')} AS seq, m.event AS event,
  m.locked_by AS lockedBy, m.locked_by IS NOT NULL AND m.lock_expiry >= ? AS headLocked,
  EXISTS (SELECT 1 FROM ${messages} x WHERE x.group_id = g.group_id AND ${isOutOfTurn('x')} AND x.lock_expiry >= ?) AS blocked,
  m.attempts AS attempts, m.crashes AS crashes, m.deliveries AS deliveries, m.fence AS fence, m.published_at AS publishedAt, m.last_error AS lastError,
  (${highestTurnSql(groups)}) AS highestTurn`;
}

/** Parameters: those of the levels, now three times. */
export function candidateSql(messages: string, groups: string, keyed: boolean): string {
  return `${levelsSql(groups, keyed)}
SELECT next.lapsed AS lapsed, ${candidateColumns(messages, groups)}
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

/** For a group that key-walk.ts has found. Parameters: now, now, its rowid. */
function walkedSql(messages: string, groups: string): string {
  return `SELECT 0 AS lapsed, ${candidateColumns(messages, groups)} FROM ${groups} g
LEFT JOIN ${messages} m ON m.seq = (SELECT MIN(seq) FROM ${messages} WHERE group_id = g.group_id)
WHERE g.rowid = ?`;
}

/** Returns the group whose head a claim takes next, or null. `now` in epoch seconds. */
export function makeNextGroup(
  context: VerbContext,
): (options: ClaimOptions, now: number) => Deliverable | null {
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
  const walked = prepare(context, walkedSql(messages, groups));
  const keyWalk = makeKeyWalk(context);
  const dropGhost = prepare(context, `DELETE FROM ${groups} WHERE rowid = ?`);
  const markHead = prepare(
    context,
    `UPDATE ${groups} SET blocked_until = (SELECT lock_expiry FROM ${messages} WHERE seq =
  (SELECT MIN(seq) FROM ${messages} m WHERE m.group_id = ${groups}.group_id)) WHERE rowid = ?`,
  );
  const markLast = prepare(
    context,
    `UPDATE ${groups} SET blocked_until = (SELECT MAX(x.lock_expiry) FROM ${messages} x
  WHERE x.group_id = ${groups}.group_id AND ${isOutOfTurn('x')}) WHERE rowid = ?`,
  );

  function find(options: ClaimOptions, parameters: Parameters, now: number): Candidate | null {
    const { routingKeys } = options;
    if (routingKeys && routingKeys.length > MANY_KEYS) {
      const found = keyWalk(options, now);
      if (found === null) return null;
      if (found !== 'unknown') return walked.get(now, now, found) as Candidate;
    }
    const keyed = routingKeys ? 1 : 0;
    return (candidate[keyed].get(...parameters, now, now, now) as Candidate | undefined) ?? null;
  }

  function removeLapsedMarks(keyed: 0 | 1, parameters: Parameters, now: number): void {
    for (const level of levels[keyed].all(...parameters) as unknown[][])
      unmarkLapsed[keyed].run(...level, now);
  }

  /** An index that does not agree with its table would let the search go on forever, under the write lock. */
  const damaged = () =>
    new LeaseholdError(
      'CORRUPT',
      `${context.db.name}: an index of ${groups} does not agree with the table. Run REINDEX, or restore a backup.`,
    );

  return (options, now) => {
    const parameters = levelParameters(options);
    const keyed = options.routingKeys ? 1 : 0;
    let removed = false;
    let last: number | string | null = null;
    for (;;) {
      const found = find(options, parameters, now);
      if (found?.lapsed) {
        if (removed) throw damaged();
        removed = true;
        removeLapsedMarks(keyed, parameters, now);
        continue;
      }
      if (!found || found.groupRow === null) return null;
      const { seq } = found;
      if (seq !== null && !found.headLocked && !found.blocked) return found as Deliverable;
      // Each round takes a group out of the search, so the same one cannot come again.
      if (found.groupRow === last) throw damaged();
      last = found.groupRow;
      const groupRow = rowOf(last);
      if (seq === null) dropGhost.run(groupRow);
      else if (found.headLocked) markHead.run(groupRow);
      else markLast.run(groupRow);
    }
  };
}
