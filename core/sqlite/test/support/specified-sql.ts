/** The specification's own SQL, with nothing of Leasehold's. */

export const SPECIFIED_TABLES = {
  messages: {
    definition:
      'seq INTEGER PRIMARY KEY AUTOINCREMENT, group_id TEXT NOT NULL, event TEXT NOT NULL, locked_by TEXT, lock_expiry REAL',
    columns: 'seq, group_id, event, locked_by, lock_expiry',
  },
  groups: {
    definition:
      'group_id TEXT PRIMARY KEY, last_claimed_at REAL NOT NULL DEFAULT 0.0, priority INT NOT NULL DEFAULT 0, routing_key TEXT',
    columns: 'group_id, last_claimed_at, priority, routing_key',
  },
} as const;

export const specifiedSchema = (prefix: string): string => `
CREATE TABLE IF NOT EXISTS ${prefix}_messages (${SPECIFIED_TABLES.messages.definition});
CREATE TABLE IF NOT EXISTS ${prefix}_groups (${SPECIFIED_TABLES.groups.definition});
CREATE INDEX IF NOT EXISTS ${prefix}_groups_by_last_claimed ON ${prefix}_groups (last_claimed_at);
CREATE INDEX IF NOT EXISTS ${prefix}_messages_by_group ON ${prefix}_messages (group_id, seq);
CREATE INDEX IF NOT EXISTS ${prefix}_groups_by_routing_key ON ${prefix}_groups (routing_key, last_claimed_at);`;

/** Its parameters: the lowest priority, then this many routing keys, then the time. `isHeld`: how an expiry is compared with the time. */
export const specifiedClaim = (prefix: string, keys: number | undefined, isHeld = '>='): string => `
SELECT m.seq, m.group_id, m.event
  FROM ${prefix}_groups g
  JOIN ${prefix}_messages m ON m.seq = (SELECT MIN(seq) FROM ${prefix}_messages WHERE group_id = g.group_id)
  WHERE g.priority >= ? ${keys === undefined ? '' : `AND g.routing_key IN (${Array(keys).fill('?').join(', ')})`}
    AND NOT EXISTS (
      SELECT 1 FROM ${prefix}_messages x WHERE x.group_id = g.group_id
        AND x.locked_by IS NOT NULL AND x.lock_expiry ${isHeld} ?)
  ORDER BY g.last_claimed_at, g.rowid LIMIT 1`;
