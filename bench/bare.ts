/** Leasehold's own statements without its code, to compare the public API with. */
import Database from 'better-sqlite3';
import { SqliteTransport } from '../core/index.ts';
import { namesFor } from '../core/sqlite/file/names.ts';
import { FENCE } from '../core/sqlite/verbs/fence.ts';
import { candidateSql } from '../core/sqlite/verbs/next-group.ts';
import type { Durability } from './specification.ts';

export interface BareLease {
  readonly seq: number;
  readonly groupId: string;
  readonly event: unknown;
  readonly fence: number;
}

interface Found extends BareLease {
  readonly groupRow: number | null;
  readonly event: string;
  readonly highestTurn: number;
}

/** A bare connection to an empty queue that Leasehold created. */
export function openEmpty(path: string, durability: Durability): Database.Database {
  new SqliteTransport({ path }).close();
  const db = new Database(path);
  db.pragma(`synchronous = ${durability}`);
  db.pragma('wal_autocheckpoint = 4000');
  return db;
}

export function bareStatements(db: Database.Database) {
  const { messages, groups } = namesFor();
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const insertMessage = db.prepare(
    `INSERT OR FAIL INTO ${messages} (group_id, event, published_at, origin_seq) VALUES (?, ?, ?, ?)`,
  );
  const insertGroup = db.prepare(
    `INSERT OR IGNORE INTO ${groups} (group_id, priority, routing_key, last_claimed_at) VALUES (?, ?, ?, ?)`,
  );
  const candidate = db.prepare(candidateSql(messages, groups, false));
  const turn = db.prepare(`UPDATE ${groups} SET last_claimed_at = ?, blocked_until = ? WHERE rowid = ?`);
  const lock = db.prepare(
    `UPDATE ${messages} SET locked_by = ?, lock_expiry = ?, fence = ?, attempts = attempts + ?, started = ?, crashes = ?,
  deliveries = deliveries + 1, out_of_turn = 0 WHERE seq = ?`,
  );
  const remove = db.prepare(`DELETE FROM ${messages} WHERE ${FENCE}`);
  const dropGroup = db.prepare(
    `DELETE FROM ${groups} WHERE group_id = ? AND NOT EXISTS (SELECT 1 FROM ${messages} WHERE group_id = ?)`,
  );
  return {
    publish(groupId: string, event: unknown): void {
      const json = JSON.stringify(event);
      begin.run();
      insertMessage.run(groupId, json, Date.now() / 1000, null);
      insertGroup.run(groupId, 0, null, 0);
      commit.run();
    },
    claim(): BareLease | null {
      begin.run();
      const now = Date.now() / 1000;
      const found = candidate.get(0, now, now, now) as Found | undefined;
      if (!found || found.groupRow === null) {
        commit.run();
        return null;
      }
      const fence = found.fence + 1;
      turn.run(Math.max(now, found.highestTurn + 0.000001), null, found.groupRow);
      lock.run('worker', now + 30, fence, 1, 1, 0, found.seq);
      commit.run();
      const { seq, groupId, event } = found;
      return { seq, groupId, event: JSON.parse(event), fence };
    },
    ack({ seq, groupId, fence }: BareLease): void {
      begin.run();
      remove.run(seq, 'worker', fence);
      dropGroup.run(groupId, groupId);
      commit.run();
    },
  };
}
