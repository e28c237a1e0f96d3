/** The rows of `level`: each priority (of each routing key) at which a claim looks for the group whose turn it is. */
import type { ClaimOptions } from '../../contract/transport.ts';

/**
 * One seek for each priority that occurs at or above the floor, so that any number another program wrote is found; when
 * keyed, for each of the routing keys in a JSON array. Its parameters are `turnParameters`: by position, because names
 * cost better-sqlite3 a fifth of such a statement.
 */
export function levelsSql(groups: string, keyed: boolean): string {
  if (keyed)
    return `WITH RECURSIVE level(routing_key, priority) AS (
  SELECT k.value, (SELECT MIN(priority) FROM ${groups} WHERE routing_key = k.value AND priority >= ?)
  FROM (SELECT DISTINCT value FROM json_each(?)) k
  UNION ALL
  SELECT level.routing_key, (SELECT MIN(priority) FROM ${groups}
                              WHERE routing_key = level.routing_key AND priority > level.priority)
  FROM level WHERE level.priority IS NOT NULL
)`;
  return `WITH RECURSIVE level(priority) AS (
  SELECT MIN(priority) FROM ${groups} WHERE priority >= ?
  UNION ALL
  SELECT (SELECT MIN(priority) FROM ${groups} WHERE priority > level.priority)
  FROM level WHERE level.priority IS NOT NULL
)`;
}

/** The condition that a groups row is of the level at hand. */
export const ofLevel = (table: string, keyed: boolean) =>
  `${keyed ? `${table}.routing_key = level.routing_key AND ` : ''}${table}.priority = level.priority`;

export function turnParameters({ minPriority = 0, routingKeys }: ClaimOptions): (number | string)[] {
  return routingKeys ? [minPriority, JSON.stringify(routingKeys)] : [minPriority];
}
