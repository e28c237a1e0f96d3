/**
 * Finds the next group for a claim that names many routing keys. A seek for each key costs 9 µs (45 ms for 5,000 keys). This
 * walks the groups in claim order instead and stops at the first one whose key is named.
 */
import type { ClaimOptions } from '../../contract/transport.ts';
import { levelsSql, unmarkLapsedSql } from './claim-order.ts';
import { prepare, type VerbContext } from './verb-context.ts';

/** Up to so many keys, the seeks are quicker. */
export const MANY_KEYS = 50;

/** How many groups of a priority it looks at, first and when none of those matches. */
const LOOKS = [20, 500] as const;

type Step = [groupRow: unknown, routingKey: unknown, turn: unknown];

/** The rowid of the group; null when there is none; 'unknown' when the first groups in the order have other keys. */
export function makeKeyWalk(
  context: VerbContext,
): (options: ClaimOptions, now: number) => number | null | 'unknown' {
  const { groups } = context.names;
  const levels = prepare(
    context,
    `${levelsSql(groups, false)} SELECT priority FROM level WHERE priority IS NOT NULL`,
  ).pluck();
  levels.safeIntegers(true);
  const unmarkLapsed = prepare(context, unmarkLapsedSql(groups, false));
  const walk = prepare(
    context,
    `SELECT rowid, routing_key, last_claimed_at FROM ${groups} WHERE priority = ? AND blocked_until IS NULL
ORDER BY last_claimed_at, rowid LIMIT ?`,
  ).raw();

  function firstOf(priority: unknown, keys: ReadonlySet<unknown>): Step | null | 'unknown' {
    for (const look of LOOKS) {
      const steps = walk.all(priority, look) as Step[];
      const found = steps.find(([, routingKey]) => keys.has(routingKey));
      if (found) return found;
      if (steps.length < look) return null;
    }
    return 'unknown';
  }

  return ({ minPriority = 0, routingKeys = [] }, now) => {
    const keys = new Set<unknown>(routingKeys);
    let best: [groupRow: number, turn: number] | null = null;
    for (const priority of levels.all(minPriority)) {
      unmarkLapsed.run(priority, now);
      const found = firstOf(priority, keys);
      if (found === null) continue;
      if (found === 'unknown') return 'unknown';
      const [groupRow, , turn] = found;
      if (!Number.isSafeInteger(groupRow) || typeof turn !== 'number') return 'unknown';
      const row = groupRow as number;
      if (!best || turn < best[1] || (turn === best[1] && row < best[0])) best = [row, turn];
    }
    return best?.[0] ?? null;
  };
}
