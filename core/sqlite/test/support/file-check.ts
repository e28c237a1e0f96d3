import assert from 'node:assert/strict';
import Database from 'better-sqlite3';

/** Reads the file through a new connection. */
export function rows(path: string, sql: string, ...values: unknown[]): Record<string, unknown>[] {
  const db = new Database(path);
  try {
    return db.prepare(sql).all(...values) as Record<string, unknown>[];
  } finally {
    db.close();
  }
}

/** Writes to the file as another program would. */
export function execute(path: string, sql: string): void {
  const db = new Database(path);
  try {
    db.exec(sql);
  } finally {
    db.close();
  }
}

/**
 * The invariants of a queue file, each as a query for what violates it. `blocked_until` is NULL (unknown) or not later than the
 * end of the group's last lock. A lock that is not the head's has `out_of_turn` 1.
 */
const INVARIANTS = (prefix: string): Record<string, string> => ({
  'a message without its group': `
    SELECT seq, group_id FROM ${prefix}_messages WHERE group_id NOT IN (SELECT group_id FROM ${prefix}_groups)`,
  'a group without messages': `
    SELECT group_id FROM ${prefix}_groups WHERE group_id NOT IN (SELECT group_id FROM ${prefix}_messages)`,
  'a mark that is later than every lock': `
    SELECT g.group_id, g.blocked_until, l.until
      FROM ${prefix}_groups g JOIN (
        SELECT group_id, MAX(CASE WHEN locked_by IS NOT NULL THEN lock_expiry END) AS until
          FROM ${prefix}_messages GROUP BY group_id) l USING (group_id)
     WHERE g.blocked_until IS NOT NULL AND (l.until IS NULL OR g.blocked_until > l.until)`,
  'a lock behind the head without out_of_turn': `
    SELECT m.group_id, m.seq FROM ${prefix}_messages m
     WHERE m.out_of_turn <> 1 AND m.locked_by IS NOT NULL
       AND m.seq > (SELECT MIN(seq) FROM ${prefix}_messages WHERE group_id = m.group_id)`,
  'half a lock': `
    SELECT seq FROM ${prefix}_messages WHERE (locked_by IS NULL) <> (lock_expiry IS NULL)`,
  'a message that is also a dead letter': `
    SELECT seq FROM ${prefix}_messages WHERE seq IN (SELECT seq FROM ${prefix}_dead_letters)`,
});

/** Every fault of a queue file, in words; empty when it has none. */
export function faultsIn(db: Database.Database, prefix?: string): string[] {
  const integrity = db.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[];
  return [
    ...integrity.map((row) => row.integrity_check).filter((text) => text !== 'ok'),
    ...brokenRules(db, prefix),
  ];
}

/** The same without SQLite's integrity check, which reads the whole file. */
export function brokenRules(db: Database.Database, prefix = 'harel_transport'): string[] {
  const faults: string[] = [];
  for (const [what, sql] of Object.entries(INVARIANTS(prefix))) {
    const broken = db.prepare(sql).all();
    if (broken.length > 0) faults.push(`${what}: ${JSON.stringify(broken.slice(0, 5))}`);
  }
  return faults;
}

export function assertSound(path: string, prefix?: string): void {
  const db = new Database(path);
  try {
    assert.deepEqual(faultsIn(db, prefix), []);
  } finally {
    db.close();
  }
}
