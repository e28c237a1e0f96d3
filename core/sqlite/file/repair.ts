/**
 * Mends what a crash between two autocommits of another program can leave: the specification's publish and ack are two
 * statements each. A message without its group's row is invisible to every claim; a group's row without messages is a
 * ghost. Both are looked for on every open, and the write lock is taken only when one is found.
 */
import type { Database } from 'better-sqlite3';
import type { Names } from './names.ts';
import { deriveLocks } from './schema.ts';

/** A publish of another program may be between its two statements: what it leaves is an orphan only if it stays one. */
const UNDER_WAY_MS = 50;

export function repair(db: Database, names: Names): void {
  const hasOrphans = () =>
    db.prepare(`${orphanGroups(names)} SELECT 1 FROM orphan LIMIT 1`).get() !== undefined;
  const ghosts = db.prepare(`SELECT 1 FROM ${names.groups} ${ghostly(names)} LIMIT 1`).get();
  let orphans = hasOrphans();
  if (orphans && !db.inTransaction) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, UNDER_WAY_MS);
    orphans = hasOrphans();
  }
  if (!orphans && !ghosts) return;
  const mend = db.transaction(() => {
    db.exec(`DELETE FROM ${names.groups} ${ghostly(names)}`);
    db.exec(adopt(names));
    // An orphan's messages may have been locked by hand, which no group's row could take note of.
    if (orphans) db.exec(deriveLocks(names));
  });
  mend.immediate();
}

/** Steps from one group id to the next on the index, so that it costs a seek for each group, not a read for each message. */
function orphanGroups({ messages, groups }: Names): string {
  return `WITH RECURSIVE
  present(id) AS (
    SELECT MIN(group_id) FROM ${messages}
    UNION ALL
    SELECT (SELECT MIN(group_id) FROM ${messages} WHERE group_id > present.id) FROM present WHERE id IS NOT NULL
  ),
  orphan(id) AS (
    SELECT id FROM present
    WHERE id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${groups} g WHERE g.group_id = present.id)
  )`;
}

function ghostly({ messages, groups }: Names): string {
  return `WHERE NOT EXISTS (SELECT 1 FROM ${messages} m WHERE m.group_id = ${groups}.group_id)`;
}

/** In the order of arrival, which the claim uses to break ties. */
function adopt(names: Names): string {
  const { messages, groups } = names;
  return `${orphanGroups(names)}
INSERT INTO ${groups} (group_id)
SELECT id FROM orphan ORDER BY (SELECT MIN(seq) FROM ${messages} WHERE group_id = id)`;
}
