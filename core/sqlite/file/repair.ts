/**
 * Repairs what a crash of another program can leave. The specification's publish and ack are two autocommitted statements
 * each: between them a message has no group row, and no claim can see it, or a group row has no messages (a ghost). Every
 * open looks for both, and takes the write lock only when it finds one.
 */
import type { Database } from 'better-sqlite3';
import type { Names } from './names.ts';

/**
 * Another program may just be between the two statements of a publish, so an orphan is repaired only if it is still there
 * later.
 */
const PUBLISH_MS = 50;

export function repair(db: Database, names: Names): void {
  const hasOrphans = () =>
    db.prepare(`${orphansSql(names)} SELECT 1 FROM orphan LIMIT 1`).get() !== undefined;
  const ghosts = db.prepare(`SELECT 1 FROM ${names.groups} ${whereGhost(names)} LIMIT 1`).get();
  let orphans = hasOrphans();
  if (orphans && !db.inTransaction) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PUBLISH_MS);
    orphans = hasOrphans();
  }
  if (!orphans && !ghosts) return;
  const repairAll = db.transaction(() => {
    db.exec(`DELETE FROM ${names.groups} ${whereGhost(names)}`);
    db.exec(insertGroupsSql(names));
  });
  repairAll.immediate();
}

/** Groups without a row. The recursion does one index seek for each group instead of reading every message. */
function orphansSql({ messages, groups }: Names): string {
  return `WITH RECURSIVE
  present(id) AS (
    SELECT MIN(group_id) FROM ${messages}
    UNION
    SELECT (SELECT MIN(group_id) FROM ${messages} WHERE group_id > present.id) FROM present WHERE id IS NOT NULL
  ),
  orphan(id) AS (
    SELECT id FROM present
    WHERE id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${groups} g WHERE g.group_id = present.id)
  )`;
}

function whereGhost({ messages, groups }: Names): string {
  return `WHERE NOT EXISTS (SELECT 1 FROM ${messages} m WHERE m.group_id = ${groups}.group_id)`;
}

/** In the order of arrival, because a claim breaks ties by rowid. */
function insertGroupsSql(names: Names): string {
  const { messages, groups } = names;
  return `${orphansSql(names)}
INSERT INTO ${groups} (group_id)
SELECT id FROM orphan ORDER BY (SELECT MIN(seq) FROM ${messages} WHERE group_id = id)`;
}
