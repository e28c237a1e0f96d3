/**
 * The levels of a claim: each priority (for each routing key, when keys are given) at which it looks for the next group.
 *
 * The recursive query does one seek for each priority that occurs at or above the floor, so it also finds priorities outside
 * 0-4 that another program wrote. In a file whose index is damaged it can go round in circles: UNION (2.8 µs more than UNION
 * ALL) or a limit ends it. Parameters are bound by position (`levelParameters`): named ones cost better-sqlite3 a fifth of such a statement.
 */
import type { ClaimOptions } from '../../contract/transport.ts';

const MAX_LEVELS = 10_000;

/** The table expression `level`; routing keys come as a JSON array. */
export function levelsSql(groups: string, keyed: boolean): string {
  if (keyed)
    return `WITH RECURSIVE level(routing_key, priority) AS (
  SELECT k.value, (SELECT MIN(priority) FROM ${groups} WHERE routing_key = k.value AND priority >= ?)
  FROM (SELECT DISTINCT value FROM json_each(?)) k
  UNION
  SELECT level.routing_key, (SELECT MIN(priority) FROM ${groups}
                              WHERE routing_key = level.routing_key AND priority > level.priority)
  FROM level WHERE level.priority IS NOT NULL
)`;
  return `WITH RECURSIVE level(priority) AS (
  SELECT MIN(priority) FROM ${groups} WHERE priority >= ?
  UNION ALL
  SELECT (SELECT MIN(priority) FROM ${groups} WHERE priority > level.priority)
  FROM level WHERE level.priority IS NOT NULL
  LIMIT ${MAX_LEVELS}
)`;
}

/** The condition that a row of groups belongs to the current row of `level`. */
export const ofLevel = (table: string, keyed: boolean) =>
  `${keyed ? `${table}.routing_key = level.routing_key AND ` : ''}${table}.priority = level.priority`;

export function levelParameters({ minPriority = 0, routingKeys }: ClaimOptions): (number | string)[] {
  return routingKeys ? [minPriority, JSON.stringify(routingKeys)] : [minPriority];
}

/** A whole number as it is, and beyond 2^53, where a JavaScript number would be another one, as text. */
export const exactSql = (column: string) =>
  `CASE WHEN ${column} BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER} THEN ${column} ELSE CAST(${column} AS TEXT) END`;

/** Removes the lapsed marks of one level. One statement for all levels reads every group once the file has been analysed. */
export function unmarkLapsedSql(groups: string, keyed: boolean): string {
  const level = keyed ? 'routing_key = ? AND priority = ?' : 'priority = ?';
  return `UPDATE ${groups} SET blocked_until = NULL WHERE ${level} AND blocked_until < ?`;
}
