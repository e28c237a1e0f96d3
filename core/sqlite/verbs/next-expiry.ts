/** nextExpiry: when the earliest lock among the groups that a claim would accept ends. */
import type { ClaimOptions } from '../../transport.ts';
import { prepare, type Queue } from '../queue.ts';
import { toMsOrNull } from '../seconds.ts';
import { levelsSql, ofLevel } from '../turn.ts';

export function makeNextExpiry(queue: Queue): (options: ClaimOptions) => number | null {
  const { groups } = queue.names;
  const earliest = (keyed: boolean) =>
    prepare(
      queue,
      `${levelsSql(groups, keyed)}
SELECT MIN((SELECT MIN(g.blocked_until) FROM ${groups} g WHERE ${ofLevel('g', keyed)})) FROM level`,
    ).pluck();
  const [any, keyed] = [earliest(false), earliest(true)];
  return ({ minPriority = 0, routingKeys }) => {
    const found = routingKeys
      ? keyed.get({ floor: minPriority, keys: JSON.stringify(routingKeys) })
      : any.get({ floor: minPriority });
    return toMsOrNull(found as number | null);
  };
}
