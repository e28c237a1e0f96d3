import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { namesFor } from '../../sqlite/file/names.ts';
import { aheadSql } from '../queries/groups-ahead.ts';
import { type Bench, HOUR_MS, withAdmin } from './kit.ts';

/** What the admin says of the message, and the seqs that claims with this floor take up to and with it. */
async function saidAndDone({ queue, admin }: Bench, seq: number, minPriority: number) {
  const why = (await admin.message(seq))?.why;
  const taken: number[] = [];
  while (taken.at(-1) !== seq) {
    const lease = queue.claim('worker', HOUR_MS, { minPriority });
    assert.ok(lease, `message ${seq} should have been taken`);
    taken.push(lease.seq);
  }
  return { why, taken };
}

describe('whose turn it is', () => {
  it('a group of lower priority that waits longer goes first where the floor lets it', () =>
    withAdmin(async (bench) => {
      bench.queue.publish('low', 1);
      bench.queue.publish('high', 2, { priority: 2 });
      const { why, taken } = await saidAndDone(bench, 2, 0);
      assert.equal(why, 'Next in turn for a claim with floor 2; without a floor, 1 group goes first.');
      assert.deepEqual(taken, [1, 2]);
    }));

  it('a group of higher priority that waits longer goes first', () =>
    withAdmin(async (bench) => {
      for (const priority of [4, 3, 1]) bench.queue.publish(`p${priority}`, 1, { priority });
      const { why, taken } = await saidAndDone(bench, 3, 1);
      assert.equal(why, 'In turn: 2 groups go first for a claim with a floor of 1 or less.');
      assert.deepEqual(taken, [1, 2, 3]);
    }));

  it('both are said where they differ', () =>
    withAdmin(async (bench) => {
      for (const [n, priority] of [0, 3, 0, 2].entries()) bench.queue.publish(`g${n}`, 1, { priority });
      const { why, taken } = await saidAndDone(bench, 4, 2);
      assert.equal(why, 'In turn: 1 group goes first for a claim with floor 2, 3 without a floor.');
      assert.deepEqual(taken, [2, 4]);
    }));

  it('a group that is leased, parked or without messages goes before nobody', () =>
    withAdmin(async (bench) => {
      const { queue, edit } = bench;
      for (const group of ['leased', 'parked', 'last']) queue.publish(group, 1);
      queue.claim('worker', HOUR_MS);
      const parked = queue.claim('worker', HOUR_MS);
      assert.ok(parked);
      queue.nack(parked, HOUR_MS);
      edit(`UPDATE harel_transport_groups SET last_claimed_at = 2e9 WHERE group_id = 'last';
INSERT INTO harel_transport_groups (group_id) VALUES ('ghost')`);
      const { why, taken } = await saidAndDone(bench, 3, 0);
      assert.equal(why, 'Next in turn for a claim without a floor.');
      assert.deepEqual(taken, [3]);
    }));

  it('a group whose lock has lapsed goes in its place, marked or not', () =>
    withAdmin(async (bench) => {
      const { queue, edit } = bench;
      for (const group of ['marked', 'unmarked', 'last']) queue.publish(group, 1);
      edit(`UPDATE harel_transport_groups SET last_claimed_at = 1e9;
UPDATE harel_transport_messages SET locked_by = '__parked__', lock_expiry = 1.1e9 WHERE seq = 1;
UPDATE harel_transport_messages SET locked_by = 'gone', lock_expiry = 1.1e9 WHERE seq = 2`);
      const { why, taken } = await saidAndDone(bench, 3, 0);
      assert.equal(why, 'In turn: 2 groups go first for a claim without a floor.');
      assert.deepEqual(taken, [1, 2, 3]);
    }));

  it('counting ends at 1,000', () =>
    withAdmin(async ({ queue, admin }) => {
      queue.publishMany(Array.from({ length: 1_200 }, (_, n) => ({ groupId: `g${n}`, event: n })));
      assert.equal(
        (await admin.message(1_000))?.why,
        'In turn: 999 groups go first for a claim without a floor.',
      );
      assert.equal(
        (await admin.message(1_200))?.why,
        'In turn: at least 1,000 groups go first for a claim without a floor.',
      );
    }));

  it('is counted by seeks, before and after ANALYZE', () =>
    withAdmin(async ({ queue, file }) => {
      for (let n = 0; n < 200; n++) queue.publish(`g${n % 20}`, n, { priority: n % 5 });
      const db = new Database(file);
      try {
        for (const prepare of ['', 'ANALYZE']) {
          db.exec(prepare);
          const sql = aheadSql(namesFor());
          const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(0, { turn: 1, row: 1, now: 1 }) as {
            detail: string;
          }[];
          const lines = plan.map(({ detail }) => detail);
          const seeks = lines.filter((line) =>
            /SEARCH g USING (?:COVERING )?INDEX harel_transport_groups_by_turn \(priority=\? AND blocked_until/.test(
              line,
            ),
          );
          assert.equal(seeks.length, 2, lines.join('\n'));
          assert.deepEqual(
            lines.filter((line) => /\bSCAN (?:[ghx]\b|harel_transport_)/.test(line)),
            [],
          );
        }
      } finally {
        db.close();
      }
    }));
});
