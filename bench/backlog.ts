/** Files with a given backlog, filled by SQL. */
import type Database from 'better-sqlite3';

/** An event of 100 bytes of JSON. */
export const EVENT = { path: 'x'.repeat(89) };
export const EVENT_JSON = JSON.stringify(EVENT);

export interface Backlog {
  readonly messages: number;
  readonly groups: number;
}

/** Distributes the messages over the groups g0, g1, … in turn. */
export function fill(db: Database.Database, { messages, groups }: Backlog): void {
  const numbers = 'WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)';
  db.transaction(() => {
    db.prepare(
      `${numbers} INSERT INTO harel_transport_messages (group_id, event) SELECT 'g' || (i % CAST(? AS INTEGER)), ? FROM n`,
    ).run(messages, groups, EVENT_JSON);
    db.prepare(`${numbers} INSERT INTO harel_transport_groups (group_id) SELECT 'g' || i FROM n`).run(groups);
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
}

const short = (count: number) =>
  count >= 1_000_000 ? `${count / 1_000_000}M` : count >= 1000 ? `${count / 1000}k` : `${count}`;

export const named = ({ messages, groups }: Backlog): string => `${short(messages)} / ${short(groups)}`;
