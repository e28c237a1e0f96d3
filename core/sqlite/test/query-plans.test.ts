import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from 'better-sqlite3';
import { unmarkLapsedSql } from '../verbs/claim-order.ts';
import { FENCE } from '../verbs/fence.ts';
import { candidateSql } from '../verbs/next-group.ts';
import { withFile } from './support/sync-queue.ts';

/** Binds every parameter, so that SQLite plans the statement as it will run. */
function planOf(db: Database, sql: string): string[] {
  const values = Array.from(sql.matchAll(/\?/g), () => '[]');
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
  return plan.map(({ detail }) => detail);
}

/** A scan of a whole table or index. A scan of the few levels, keys or of one row is fine. */
const WHOLE = /\bSCAN (?:[gfbm]\b|harel_transport_)/;

function withPlans(sql: string, check: (plan: string[]) => void): Promise<void> {
  return withFile(({ open, connect }) => {
    const queue = open();
    for (let n = 0; n < 200; n++)
      queue.publish(`g${n % 20}`, n, { priority: n % 5, routingKey: `k${n % 3}` });
    const db = connect();
    check(planOf(db, sql));
    db.exec('ANALYZE');
    check(planOf(db, sql));
  });
}

describe('the plan of a statement, before and after ANALYZE', () => {
  const messages = 'harel_transport_messages';
  const groups = 'harel_transport_groups';

  const searches: Record<string, string> = {};
  for (const keyed of [false, true]) {
    const how = keyed ? 'with routing keys' : 'without routing keys';
    searches[`a claim's search for a candidate ${how}`] = candidateSql(messages, groups, keyed);
    searches[`a claim's removal of lapsed marks ${how}`] = unmarkLapsedSql(groups, keyed);
  }
  for (const [name, sql] of Object.entries(searches))
    it(`${name} never reads all messages or groups`, () =>
      withPlans(sql, (plan) => {
        assert.ok(
          plan.some((line) => line.includes('SEARCH')),
          plan.join('\n'),
        );
        assert.deepEqual(
          plan.filter((line) => WHOLE.test(line)),
          [],
          plan.join('\n'),
        );
      }));

  for (const sql of [
    `DELETE FROM ${messages} WHERE ${FENCE}`,
    `UPDATE ${messages} SET locked_by = NULL, lock_expiry = NULL WHERE ${FENCE}`,
    `SELECT m.event FROM ${messages} m WHERE m.${FENCE}`,
  ])
    it(`a fenced ${sql.split(' ')[0]} is one seek by seq`, () =>
      withPlans(sql, (plan) => {
        const table = sql.includes(' m ') ? 'm' : messages;
        // What follows are the subprograms of triggers.
        assert.equal(plan[0], `SEARCH ${table} USING INTEGER PRIMARY KEY (rowid=?)`);
      }));
});
