/** The rows of `level`: each priority (of each routing key) at which a claim looks for the group whose turn it is. */

/**
 * One seek for each priority that occurs at or above :floor, so that any number another program wrote is found; when
 * keyed, for each of the routing keys in the JSON array :keys.
 */
export function levelsSql(groups: string, keyed: boolean): string {
  if (keyed)
    return `WITH RECURSIVE level(routing_key, priority) AS (
  SELECT k.value, (SELECT MIN(priority) FROM ${groups} WHERE routing_key = k.value AND priority >= :floor)
  FROM (SELECT DISTINCT value FROM json_each(:keys)) k
  UNION ALL
  SELECT level.routing_key, (SELECT MIN(priority) FROM ${groups}
                              WHERE routing_key = level.routing_key AND priority > level.priority)
  FROM level WHERE level.priority IS NOT NULL
)`;
  return `WITH RECURSIVE level(priority) AS (
  SELECT MIN(priority) FROM ${groups} WHERE priority >= :floor
  UNION ALL
  SELECT (SELECT MIN(priority) FROM ${groups} WHERE priority > level.priority)
  FROM level WHERE level.priority IS NOT NULL
)`;
}

/** The condition that a groups row is of the level at hand. */
export const ofLevel = (table: string, keyed: boolean) =>
  `${keyed ? `${table}.routing_key = level.routing_key AND ` : ''}${table}.priority = level.priority`;
