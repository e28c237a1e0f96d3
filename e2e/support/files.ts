/** Reads the app's two SQLite files with another client: Node's own SQLite. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

export interface IndexRow {
  readonly path: string;
  readonly size: number;
  readonly kind: string;
  readonly sha256: string;
  readonly writes: number;
}

export interface MessageRow {
  readonly seq: number;
  readonly group_id: string;
  readonly event: string;
  readonly locked_by: string | null;
  readonly lock_expiry: number | null;
  readonly origin_seq: number | null;
}

export interface DeadRow {
  readonly seq: number;
  readonly event: string;
  readonly attempts: number;
  readonly last_error: string | null;
}

function query<Row>(file: string, sql: string, ...values: SQLInputValue[]): Row[] {
  if (!existsSync(file)) return [];
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    return db.prepare(sql).all(...values) as unknown as Row[];
  } catch (error) {
    // The app has created the file but not its tables.
    if (/no such table/.test(String(error))) return [];
    throw error;
  } finally {
    db.close();
  }
}

export const indexRows = (data: string) =>
  query<IndexRow>(join(data, 'index.db'), 'SELECT path, size, kind, sha256, writes FROM files ORDER BY path');

export const messagesOf = (file: string) =>
  query<MessageRow>(
    file,
    `SELECT seq, group_id, event, locked_by, lock_expiry, origin_seq
       FROM harel_transport_messages ORDER BY seq`,
  );

export const messages = (data: string) => messagesOf(join(data, 'queue.db'));

export const message = (data: string, seq: number) => messages(data).find((row) => row.seq === seq);

export const groups = (data: string) =>
  query<{ group_id: string; priority: number }>(
    join(data, 'queue.db'),
    'SELECT group_id, priority FROM harel_transport_groups ORDER BY group_id',
  );

export const deadLetters = (data: string) =>
  query<DeadRow>(
    join(data, 'queue.db'),
    'SELECT seq, event, attempts, last_error FROM harel_transport_dead_letters ORDER BY seq',
  );

/** The lowest seq in the file. */
export const firstSeq = (data: string) =>
  query<{ seq: number }>(join(data, 'queue.db'), 'SELECT MIN(seq) AS seq FROM harel_transport_messages')[0]
    ?.seq ?? 0;

/** The seq of the last published message. A seq is never reused. */
export const lastSeq = (data: string) =>
  query<{ seq: number }>(
    join(data, 'queue.db'),
    "SELECT seq FROM sqlite_sequence WHERE name = 'harel_transport_messages'",
  )[0]?.seq ?? 0;

/** Runs the statements in one transaction, as a second client of the queue file. */
function write(data: string, statements: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(join(data, 'queue.db'), { timeout: 5_000 });
  try {
    db.exec('BEGIN IMMEDIATE');
    statements(db);
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}

/** Publishes messages at the tail of an existing group. */
export function publishElsewhere(data: string, groupId: string, count: number): void {
  write(data, (db) =>
    db
      .prepare(
        `WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ?)
         INSERT INTO harel_transport_messages (group_id, event) SELECT ?, json_object('number', i) FROM numbers`,
      )
      .run(count, groupId),
  );
}

/** Acks the first messages of the file. */
export function ackElsewhere(data: string, count: number): void {
  write(data, (db) =>
    db
      .prepare(
        `DELETE FROM harel_transport_messages
          WHERE seq IN (SELECT seq FROM harel_transport_messages ORDER BY seq LIMIT ?)`,
      )
      .run(count),
  );
}

/** Locks the message for another worker, like a program that knows only the specification. */
export function claimElsewhere(data: string, seq: number, workerId: string): void {
  const now = Date.now() / 1000;
  write(data, (db) => {
    db.prepare(
      `UPDATE harel_transport_groups SET last_claimed_at = ?
        WHERE group_id = (SELECT group_id FROM harel_transport_messages WHERE seq = ?)`,
    ).run(now, seq);
    db.prepare('UPDATE harel_transport_messages SET locked_by = ?, lock_expiry = ? WHERE seq = ?').run(
      workerId,
      now + 3600,
      seq,
    );
  });
}

/** Adds a dead letter with the seq of another message: after a program has reset the numbering, seqs occur again. */
export function buryElsewhere(data: string, seq: number, event: string): void {
  write(data, (db) =>
    db
      .prepare(
        `INSERT INTO harel_transport_dead_letters (seq, group_id, event, priority, attempts, buried_at)
         VALUES (?, 'elsewhere', ?, 0, 3, 1700000000)`,
      )
      .run(seq, event),
  );
}
