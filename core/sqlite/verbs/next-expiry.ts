/**
 * nextExpiry: when the earliest lock among the groups that a claim would accept ends.
 *
 * A claim that found nothing has marked every locked group, so the second half then looks at none and the first is a
 * seek for each level; asked at another time, it looks at the head of each group without a mark that was ever claimed.
 */
import type { ClaimOptions } from '../../contract/transport.ts';
import { toMsOrNull } from '../file/time-units.ts';
import { levelsSql, ofLevel, turnParameters } from './claim-order.ts';
import { prepare, type Queue } from './verb-context.ts';

export function makeNextExpiry(queue: Queue): (options: ClaimOptions) => number | null {
  const { messages, groups } = queue.names;
  const earliest = (keyed: boolean) =>
    prepare(
      queue,
      `${levelsSql(groups, keyed)}
SELECT MIN(ends) FROM (
  SELECT (SELECT MIN(g.blocked_until) FROM ${groups} g WHERE ${ofLevel('g', keyed)}) AS ends FROM level
  UNION ALL
  SELECT m.lock_expiry FROM level CROSS JOIN ${groups} g
  JOIN ${messages} m ON m.seq = (SELECT MIN(seq) FROM ${messages} WHERE group_id = g.group_id)
  WHERE ${ofLevel('g', keyed)} AND g.blocked_until IS NULL AND g.last_claimed_at > 0 AND m.locked_by IS NOT NULL
)`,
    ).pluck();
  const [any, keyed] = [earliest(false), earliest(true)];
  return (options) => {
    const statement = options.routingKeys ? keyed : any;
    return toMsOrNull(statement.get(...turnParameters(options)) as number | null);
  };
}
