/** The specification's SQL as prepared statements, without other code. */
import Database from 'better-sqlite3';

const MESSAGES = 'harel_transport_messages';
const GROUPS = 'harel_transport_groups';

const SCHEMA = `
CREATE TABLE ${MESSAGES} (seq INTEGER PRIMARY KEY AUTOINCREMENT, group_id TEXT NOT NULL, event TEXT NOT NULL,
  locked_by TEXT, lock_expiry REAL);
CREATE TABLE ${GROUPS} (group_id TEXT PRIMARY KEY, last_claimed_at REAL NOT NULL DEFAULT 0.0,
  priority INT NOT NULL DEFAULT 0, routing_key TEXT);
CREATE INDEX ${GROUPS}_by_last_claimed ON ${GROUPS} (last_claimed_at);
CREATE INDEX ${MESSAGES}_by_group ON ${MESSAGES} (group_id, seq);
CREATE INDEX ${GROUPS}_by_routing_key ON ${GROUPS} (routing_key, last_claimed_at);`;

const CLAIM = `SELECT m.seq, m.group_id AS groupId, m.event FROM ${GROUPS} g
JOIN ${MESSAGES} m ON m.seq = (SELECT MIN(seq) FROM ${MESSAGES} WHERE group_id = g.group_id)
WHERE g.priority >= ? AND NOT EXISTS (SELECT 1 FROM ${MESSAGES} x
  WHERE x.group_id = g.group_id AND x.locked_by IS NOT NULL AND x.lock_expiry >= ?)
ORDER BY g.last_claimed_at, g.rowid LIMIT 1`;

export type Durability = 'full' | 'normal';

export interface Claimed {
  readonly seq: number;
  readonly groupId: string;
  readonly event: string;
}

export function openSpecification(path: string, durability: Durability) {
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.pragma(`synchronous = ${durability}`);
  db.exec(SCHEMA);
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const insertMessage = db.prepare(`INSERT INTO ${MESSAGES} (group_id, event) VALUES (?, ?)`);
  const insertGroup = db.prepare(
    `INSERT OR IGNORE INTO ${GROUPS} (group_id, priority, routing_key) VALUES (?, ?, ?)`,
  );
  const select = db.prepare(CLAIM);
  const turn = db.prepare(`UPDATE ${GROUPS} SET last_claimed_at = ? WHERE group_id = ?`);
  const lock = db.prepare(`UPDATE ${MESSAGES} SET locked_by = ?, lock_expiry = ? WHERE seq = ?`);
  const remove = db.prepare(`DELETE FROM ${MESSAGES} WHERE seq = ?`);
  const dropGroup = db.prepare(
    `DELETE FROM ${GROUPS} WHERE group_id = ? AND NOT EXISTS (SELECT 1 FROM ${MESSAGES} WHERE group_id = ?)`,
  );
  return {
    db,
    /** Two statements with a commit each, as specified. */
    publish(groupId: string, event: string): void {
      insertMessage.run(groupId, event);
      insertGroup.run(groupId, 0, null);
    },
    claim(): Claimed | null {
      begin.run();
      const now = Date.now() / 1000;
      const found = select.get(0, now) as Claimed | undefined;
      if (found) {
        turn.run(now, found.groupId);
        lock.run('worker', now + 30, found.seq);
      }
      commit.run();
      return found ?? null;
    },
    ack({ seq, groupId }: Claimed): void {
      remove.run(seq);
      dropGroup.run(groupId, groupId);
    },
    close: () => db.close(),
  };
}
