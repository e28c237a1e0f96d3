import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { namesFor } from '../../sqlite/file/names.ts';
import { groupsAheadSql } from '../queries/groups-ahead.ts';
import { type AdminFixture, HOUR_MS, withAdmin } from './admin-fixture.ts';

/** The admin's sentence about the message, and the seqs that claims with this floor take, up to this message. */
async function explainAndClaim({ queue, admin }: AdminFixture, seq: number, minPriority: number) {
  const why = (await admin.message(seq))?.why;
  const taken: number[] = [];
  while (taken.at(-1) !== seq) {
    const lease = queue.claim('worker', HOUR_MS, { minPriority });
    assert.ok(lease, `a claim should have taken message ${seq}`);
    taken.push(lease.seq);
  }
  return { why, taken };
}

test('a group of lower priority that waits longer is ahead where the floor admits it', () =>
  withAdmin(async (fixture) => {
    fixture.queue.publish('low', 1);
    fixture.queue.publish('high', 2, { priority: 2 });
    const { why, taken } = await explainAndClaim(fixture, 2, 0);
    assert.equal(
      why,
      'Next in line for a claim with priority floor 2; without a floor, 1 group is ahead of it.',
    );
    assert.deepEqual(taken, [1, 2]);
  }));

test('a group of higher priority that waits longer is ahead', () =>
  withAdmin(async (fixture) => {
    for (const priority of [4, 3, 1]) fixture.queue.publish(`p${priority}`, 1, { priority });
    const { why, taken } = await explainAndClaim(fixture, 3, 1);
    assert.equal(why, '2 groups are ahead of it for a claim with priority floor 1 or lower.');
    assert.deepEqual(taken, [1, 2, 3]);
  }));

test('the sentence has the count with the floor of the group and the count without a floor where they differ', () =>
  withAdmin(async (fixture) => {
    for (const [n, priority] of [0, 3, 0, 2].entries()) fixture.queue.publish(`g${n}`, 1, { priority });
    const { why, taken } = await explainAndClaim(fixture, 4, 2);
    assert.equal(
      why,
      '1 group is ahead of it for a claim with priority floor 2; without a floor, 3 groups are ahead of it.',
    );
    assert.deepEqual(taken, [2, 4]);
  }));

test('a group that is leased, parked or without messages is not counted as ahead', () =>
  withAdmin(async (fixture) => {
    const { queue, edit } = fixture;
    for (const group of ['leased', 'parked', 'last']) queue.publish(group, 1);
    queue.claim('worker', HOUR_MS);
    const parked = queue.claim('worker', HOUR_MS);
    assert.ok(parked);
    queue.nack(parked, HOUR_MS);
    edit(`UPDATE harel_transport_groups SET last_claimed_at = 2e9 WHERE group_id = 'last';
INSERT INTO harel_transport_groups (group_id) VALUES ('ghost')`);
    const { why, taken } = await explainAndClaim(fixture, 3, 0);
    assert.equal(why, 'Next in line for a claim.');
    assert.deepEqual(taken, [3]);
  }));

test('a group whose lock has lapsed is counted in its place, whether it is marked or not', () =>
  withAdmin(async (fixture) => {
    const { queue, edit } = fixture;
    for (const group of ['marked', 'unmarked', 'last']) queue.publish(group, 1);
    edit(`UPDATE harel_transport_groups SET last_claimed_at = 1e9;
UPDATE harel_transport_messages SET locked_by = '__parked__', lock_expiry = 1.1e9 WHERE seq = 1;
UPDATE harel_transport_messages SET locked_by = 'gone', lock_expiry = 1.1e9 WHERE seq = 2`);
    const { why, taken } = await explainAndClaim(fixture, 3, 0);
    assert.equal(why, '2 groups are ahead of it for a claim.');
    assert.deepEqual(taken, [1, 2, 3]);
  }));

test('the count of groups ahead stops at 1,000', () =>
  withAdmin(async ({ queue, admin }) => {
    queue.publishMany(Array.from({ length: 1_200 }, (_, n) => ({ groupId: `g${n}`, event: n })));
    assert.equal((await admin.message(1_000))?.why, '999 groups are ahead of it for a claim.');
    assert.equal((await admin.message(1_200))?.why, 'At least 1,000 groups are ahead of it for a claim.');
  }));

test('the groups ahead are counted by index seeks, before and after ANALYZE', () =>
  withAdmin(async ({ queue, file }) => {
    for (let n = 0; n < 200; n++) queue.publish(`g${n % 20}`, n, { priority: n % 5 });
    const db = new Database(file);
    try {
      for (const prepare of ['', 'ANALYZE']) {
        db.exec(prepare);
        const sql = groupsAheadSql(namesFor());
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
