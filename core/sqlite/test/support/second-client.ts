/**
 * A second client of a queue file, written from the specification alone, without code of the transports. Times are epoch
 * seconds.
 *
 * The caller passes the connection. In a separate process that is node:sqlite, another build of SQLite. In a transport's
 * process it must be better-sqlite3: POSIX locks belong to the process, so a second copy of SQLite would not see the locks
 * of the first, and would delete the WAL that the first still uses when it closes.
 */

import { specifiedClaim, specifiedSchema } from './specified-sql.ts';

/** What node:sqlite and better-sqlite3 have in common. */
export interface Connection {
  exec(sql: string): unknown;
  prepare(sql: string): {
    run(...values: SqlValue[]): { lastInsertRowid: number | bigint };
    get(...values: SqlValue[]): unknown;
  };
  close(): unknown;
}

type SqlValue = string | number | null;

interface Row {
  readonly seq: number;
  readonly group_id: string;
  readonly event: string;
}

export interface SecondLease {
  readonly seq: number;
  readonly groupId: string;
  /** The event's JSON. */
  readonly text: string;
}

const PARKED = '__parked__';

export class SecondClient {
  readonly db: Connection;
  readonly #clock: () => number;
  readonly #prefix: string;
  readonly #insertMessage: ReturnType<Connection['prepare']>;
  readonly #insertGroup: ReturnType<Connection['prepare']>;

  constructor(db: Connection, clock: () => number, prefix = 'harel_transport') {
    this.#prefix = prefix;
    this.db = db;
    this.#clock = clock;
    this.db.exec('PRAGMA busy_timeout = 5000; PRAGMA synchronous = NORMAL');
    this.#switchToWal();
    this.db.exec(specifiedSchema(prefix));
    this.#insertMessage = this.db.prepare(`INSERT INTO ${prefix}_messages (group_id, event) VALUES (?, ?)`);
    this.#insertGroup = this.db.prepare(
      `INSERT OR IGNORE INTO ${prefix}_groups (group_id, priority, routing_key) VALUES (?, ?, ?)`,
    );
  }

  /** When two processes change the mode of a new file, SQLite raises BUSY without waiting, so this tries again. */
  #switchToWal(): void {
    for (let attempt = 1; ; attempt++) {
      try {
        this.db.exec('PRAGMA journal_mode = WAL');
        return;
      } catch (error) {
        if (attempt === 1_000) throw error;
      }
    }
  }

  /** Publishes any text as an event, without a check. */
  publishText(groupId: string, text: string, priority = 0, routingKey: string | null = null): number {
    const { lastInsertRowid } = this.#insertMessage.run(groupId, text);
    this.#insertGroup.run(groupId, priority, routingKey);
    return Number(lastInsertRowid);
  }

  publish(groupId: string, event: unknown, priority = 0, routingKey: string | null = null): number {
    return this.publishText(groupId, JSON.stringify(event), priority, routingKey);
  }

  claim(workerId: string, visibility: number, minPriority = 0, routingKeys?: string[]): SecondLease | null {
    const prefix = this.#prefix;
    this.db.exec('BEGIN IMMEDIATE');
    try {
      // Read under the write lock. While it waited, the clock may have been set.
      const now = this.#clock();
      const row = this.db
        .prepare(specifiedClaim(prefix, routingKeys?.length))
        .get(minPriority, ...(routingKeys ?? []), now) as Row | undefined;
      if (row) {
        this.db
          .prepare(`UPDATE ${prefix}_groups SET last_claimed_at = ? WHERE group_id = ?`)
          .run(now, row.group_id);
        this.db
          .prepare(`UPDATE ${prefix}_messages SET locked_by = ?, lock_expiry = ? WHERE seq = ?`)
          .run(workerId, now + visibility, row.seq);
      }
      this.db.exec('COMMIT');
      if (!row) return null;
      return { seq: row.seq, groupId: row.group_id, text: row.event };
    } catch (error) {
      this.db.exec('ROLLBACK');
      throw error;
    }
  }

  ack({ seq, groupId }: SecondLease): void {
    const prefix = this.#prefix;
    this.db.prepare(`DELETE FROM ${prefix}_messages WHERE seq = ?`).run(seq);
    this.db
      .prepare(
        `DELETE FROM ${prefix}_groups WHERE group_id = ?
          AND NOT EXISTS (SELECT 1 FROM ${prefix}_messages WHERE group_id = ?)`,
      )
      .run(groupId, groupId);
  }

  nack({ seq }: SecondLease, delay = 0): void {
    const prefix = this.#prefix;
    this.db
      .prepare(`UPDATE ${prefix}_messages SET locked_by = ?, lock_expiry = ? WHERE seq = ?`)
      .run(delay > 0 ? PARKED : null, delay > 0 ? this.#clock() + delay : null, seq);
  }
}
