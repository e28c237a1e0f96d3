/**
 * nextExpiry: when the earliest lock ends among the groups that a claim would accept.
 *
 * The first half reads the marks, one seek for each level. The second half reads the head of each unmarked group that was
 * ever claimed. After a claim that found nothing it has nothing to read, because such a claim marks every locked group. A
 * mark may be earlier than the lock's end: the claim at that time looks again.
 */
import type { ClaimOptions } from '../../contract/transport.ts';
import { toMs } from '../file/time-units.ts';
import { levelParameters, levelsSql, ofLevel } from './claim-order.ts';
import { MANY_KEYS } from './key-walk.ts';
import { prepare, type VerbContext } from './verb-context.ts';

/** Epoch ms; null when no such group is locked. */
export function makeNextExpiry(context: VerbContext): (options: ClaimOptions) => number | null {
  const { messages, groups } = context.names;
  const earliest = (keyed: boolean) =>
    prepare(
      context,
      `${levelsSql(groups, keyed)}
SELECT MIN(ends) FROM (
  SELECT (SELECT MIN(g.blocked_until) FROM ${groups} g WHERE ${ofLevel('g', keyed)}) AS ends FROM level
  UNION ALL
  SELECT m.lock_expiry FROM level CROSS JOIN ${groups} g
  JOIN ${messages} m ON m.seq = (SELECT MIN(seq) FROM ${messages} WHERE group_id = g.group_id)
  WHERE ${ofLevel('g', keyed)} AND g.blocked_until IS NULL AND g.last_claimed_at > 0 AND m.locked_by IS NOT NULL
)`,
    ).pluck();
  const [unkeyed, keyed] = [earliest(false), earliest(true)];
  return (options) => {
    const { minPriority, routingKeys } = options;
    // With many keys: of all groups. That may be too early, and costs no seek for each key.
    const isKeyed = routingKeys !== undefined && routingKeys.length <= MANY_KEYS;
    const expiry = isKeyed ? keyed.get(...levelParameters(options)) : unkeyed.get(minPriority ?? 0);
    // Text and infinity, which another program may have written, never end.
    return Number.isFinite(expiry) ? toMs(expiry as number) : null;
  };
}
