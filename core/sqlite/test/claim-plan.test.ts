import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from 'better-sqlite3';
import { candidateSql, releaseSql } from '../verbs/claim.ts';
import { withFile } from './support/sync-queue.ts';

/** Fills each parameter with something, so that SQLite plans the statement as it will run. */
function planOf(db: Database, sql: string): string[] {
  const values = Array.from(sql.matchAll(/\?/g), () => '[]');
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
  return plan.map(({ detail }) => detail);
}

/** A read of the whole table or index; SCAN of the short list of levels, keys or of one row is fine. */
const WHOLE = /\bSCAN (?:[gfbm]\b|harel_transport_)/;

describe('the claim', () => {
  for (const keyed of [false, true]) {
    const how = keyed ? 'with routing keys' : 'without routing keys';
    const statements = {
      candidate: candidateSql('harel_transport_messages', 'harel_transport_groups', keyed),
      release: releaseSql('harel_transport_groups', keyed),
    };
    for (const [name, sql] of Object.entries(statements)) {
      it(`never reads all messages or groups: ${name}, ${how}, before and after ANALYZE`, () =>
        withFile(({ open, connect }) => {
          const queue = open();
          for (let n = 0; n < 200; n++)
            queue.publish(`g${n % 20}`, n, { priority: n % 5, routingKey: `k${n % 3}` });
          const db = connect();
          for (const prepare of ['', 'ANALYZE']) {
            db.exec(prepare);
            const plan = planOf(db, sql);
            assert.ok(
              plan.some((line) => line.includes('SEARCH')),
              plan.join('\n'),
            );
            assert.deepEqual(
              plan.filter((line) => WHOLE.test(line)),
              [],
              `${prepare || 'not analyzed'}:\n${plan.join('\n')}`,
            );
          }
        }));
    }
  }
});
