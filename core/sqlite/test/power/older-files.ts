/** Makes files as older programs did. */
import Database from 'better-sqlite3';

export type OlderFile = 'the first specification' | 'schema 1' | 'small pages';

/** Without routing keys, and in the journal mode that SQLite has by itself. */
const FIRST_SPECIFICATION = `
  CREATE TABLE harel_transport_messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, group_id TEXT NOT NULL, event TEXT NOT NULL,
    locked_by TEXT, lock_expiry REAL);
  CREATE TABLE harel_transport_groups (
    group_id TEXT PRIMARY KEY, last_claimed_at REAL NOT NULL DEFAULT 0.0, priority INT NOT NULL DEFAULT 0);`;

/** The tables of Leasehold 0.1. Its triggers do not fire on what is written here. */
const SCHEMA_1 = `
  CREATE TABLE harel_transport_messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, group_id TEXT NOT NULL, event TEXT NOT NULL,
    locked_by TEXT, lock_expiry REAL, attempts INTEGER NOT NULL DEFAULT 0,
    deliveries INTEGER NOT NULL DEFAULT 0, published_at REAL, last_error TEXT, origin_seq INTEGER);
  CREATE TABLE harel_transport_groups (
    group_id TEXT PRIMARY KEY, last_claimed_at REAL NOT NULL DEFAULT 0.0, priority INT NOT NULL DEFAULT 0,
    routing_key TEXT, blocked_until REAL, locked_behind INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE harel_transport_dead_letters (
    seq INTEGER PRIMARY KEY, group_id TEXT NOT NULL, event TEXT NOT NULL, priority INT NOT NULL,
    routing_key TEXT, attempts INTEGER NOT NULL, published_at REAL, origin_seq INTEGER,
    buried_at REAL NOT NULL, last_error TEXT);
  CREATE TABLE harel_transport_journal (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, operator TEXT NOT NULL, act TEXT NOT NULL,
    seq INTEGER NOT NULL, group_id TEXT NOT NULL, detail TEXT NOT NULL);
  CREATE TABLE harel_transport_meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
  CREATE INDEX harel_transport_groups_by_last_claimed ON harel_transport_groups (last_claimed_at);
  CREATE INDEX harel_transport_messages_by_group ON harel_transport_messages (group_id, seq);
  CREATE INDEX harel_transport_groups_by_routing_key ON harel_transport_groups (routing_key, last_claimed_at);
  CREATE INDEX harel_transport_groups_by_turn
    ON harel_transport_groups (priority, blocked_until, last_claimed_at);
  CREATE INDEX harel_transport_groups_by_keyed_turn ON harel_transport_groups
  (routing_key, priority, blocked_until, last_claimed_at) WHERE routing_key IS NOT NULL;
  INSERT INTO harel_transport_meta VALUES ('schema_version', 1);
  INSERT INTO harel_transport_dead_letters VALUES (1000, 'g0', '0', 0, NULL, 3, 1.5, NULL, 2.5, 'an error');`;

/** Each message is a transaction of its own, and so a commit of the log. */
export function makeOlderFile(file: string, kind: OlderFile): void {
  const db = new Database(file);
  if (kind === 'small pages') db.pragma('page_size = 512');
  if (kind === 'schema 1') db.pragma('journal_mode = WAL');
  db.exec(`BEGIN; ${kind === 'schema 1' ? SCHEMA_1 : FIRST_SPECIFICATION} COMMIT`);
  for (let seq = 1; seq <= 12; seq++) {
    const [by, until] = seq === 4 ? ["'an older worker'", '9e9'] : ['NULL', 'NULL'];
    db.exec(`BEGIN;
      INSERT INTO harel_transport_messages (group_id, event, locked_by, lock_expiry)
        VALUES ('g${seq % 4}', '${seq}', ${by}, ${until});
      INSERT OR IGNORE INTO harel_transport_groups (group_id) VALUES ('g${seq % 4}');
      COMMIT`);
  }
  db.close();
}
