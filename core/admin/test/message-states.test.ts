import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageState, QueueAdmin } from '../../contract/admin.ts';
import { type AdminFixture, fenceOf, HOUR_MS, withAdmin } from './admin-fixture.ts';

const STATES: readonly MessageState[] = ['ready', 'waiting', 'leased', 'lapsed', 'parked', 'dead'];

/** Each message's state, after checking that the lists, their totals and the overview agree on it. */
async function agreedStates(admin: QueueAdmin): Promise<Record<number, MessageState>> {
  const all = await admin.messages();
  const states = Object.fromEntries(all.rows.map(({ seq, state }) => [seq, state]));
  const overview = await admin.overview();
  for (const state of STATES) {
    const { rows, total } = await admin.messages({ state });
    const seqs = rows.map(({ seq }) => seq);
    assert.deepEqual(
      seqs,
      all.rows.filter((row) => row.state === state).map(({ seq }) => seq),
      state,
    );
    assert.equal(total, seqs.length, state);
    if (state !== 'ready' && state !== 'waiting')
      assert.equal(overview[state], seqs.length, `count of ${state}`);
  }
  return states;
}

const whyOf = async (admin: QueueAdmin, seq: number) => (await admin.message(seq))?.why ?? '';

/** Publishes two messages in group g and parks the second as an operator. */
async function parkBehindHead({ queue, admin }: AdminFixture): Promise<void> {
  queue.publish('g', 1);
  queue.publish('g', 2);
  await admin.operate({ kind: 'park', fence: await fenceOf(admin, 2), delayMs: HOUR_MS });
}

const lapse = (seq: number) =>
  `UPDATE harel_transport_messages SET locked_by = 'gone', lock_expiry = 1e9 WHERE seq = ${seq}`;

test('a message parked behind its head counts as parked, and its whole group waits for it', () =>
  withAdmin(async (fixture) => {
    const { queue, admin } = fixture;
    await parkBehindHead(fixture);
    queue.publish('g', 3);
    assert.deepEqual(await agreedStates(admin), { 1: 'waiting', 2: 'parked', 3: 'waiting' });
    assert.equal((await admin.overview()).parked, 1);
    assert.equal(queue.claim('worker', HOUR_MS), null);
    assert.match(
      await whyOf(admin, 1),
      /^It is the head of its group, but the whole group waits for seq 2, parked until \d\d:\d\d:\d\d\.$/,
    );
    assert.match(
      await whyOf(admin, 3),
      /^Behind seq 1, and the whole group waits for seq 2, parked until \d\d:\d\d:\d\d\.$/,
    );
  }));

test('a lock that another program inserted counts, also in a group that was never claimed', () =>
  withAdmin(async ({ admin, edit }) => {
    edit(`INSERT INTO harel_transport_messages (group_id, event, locked_by, lock_expiry)
VALUES ('leased', '1', 'other', 9e9), ('parked', '2', '__parked__', 9e9), ('lapsed', '3', 'other', 1e9), ('free', '4', NULL, NULL);
INSERT INTO harel_transport_groups (group_id) SELECT group_id FROM harel_transport_messages ORDER BY seq`);
    assert.deepEqual(await agreedStates(admin), { 1: 'leased', 2: 'parked', 3: 'lapsed', 4: 'ready' });
  }));

test('messages are listed also where another program gave one a seq beyond 2^53', () =>
  withAdmin(async ({ admin, edit }) => {
    edit(`INSERT INTO harel_transport_messages (seq, group_id, event) VALUES (9223372036854775807, 'g', '1'), (7, 'h', '2');
INSERT INTO harel_transport_groups (group_id) VALUES ('g'), ('h')`);
    const { rows } = await admin.messages();
    assert.deepEqual(
      rows.map(({ groupId }) => groupId),
      ['h', 'g'],
    );
  }));

test('the row of a group whose head waits shows the expiry of the lock behind the head', () =>
  withAdmin(async (fixture) => {
    const { queue, admin } = fixture;
    await parkBehindHead(fixture);
    const parkedUntil = (await admin.message(2))?.expiresAt;
    queue.publish('free', 1);
    const { rows } = await admin.groups({ sort: 'expiry' });
    assert.deepEqual(
      rows.map(({ groupId, headSeq, headState, holder, expiresAt }) => ({
        groupId,
        headSeq,
        headState,
        holder,
        expiresAt,
      })),
      [
        { groupId: 'g', headSeq: 1, headState: 'waiting', holder: null, expiresAt: parkedUntil },
        { groupId: 'free', headSeq: 3, headState: 'ready', holder: null, expiresAt: null },
      ],
    );
    assert.equal((await admin.groups({ state: 'waiting' })).total, 1);
  }));

test('the row of a group whose head is leased shows that lease, not a lock behind the head', () =>
  withAdmin(async ({ queue, admin }) => {
    queue.publish('g', 1);
    queue.publish('g', 2);
    const lease = queue.claim('worker', HOUR_MS);
    await admin.operate({ kind: 'park', fence: await fenceOf(admin, 2), delayMs: 2 * HOUR_MS });
    const [row] = (await admin.groups()).rows;
    assert.deepEqual([row?.headState, row?.holder, row?.expiresAt], ['leased', 'worker', lease?.expiresAt]);
    assert.deepEqual(await agreedStates(admin), { 1: 'leased', 2: 'parked' });
  }));

test('a lapsed lock behind the head leaves its message waiting', () =>
  withAdmin(async ({ queue, admin, edit }) => {
    queue.publish('g', 1);
    queue.publish('g', 2);
    edit(lapse(2));
    assert.deepEqual(await agreedStates(admin), { 1: 'ready', 2: 'waiting' });
    assert.equal(await whyOf(admin, 2), 'Behind seq 1, which is ready.');
    assert.equal(queue.claim('worker', HOUR_MS)?.seq, 1);
  }));

test('a head with a lapsed lock waits while another message of its group is locked', () =>
  withAdmin(async (fixture) => {
    const { queue, admin, edit } = fixture;
    await parkBehindHead(fixture);
    edit(lapse(1));
    assert.deepEqual(await agreedStates(admin), { 1: 'waiting', 2: 'parked' });
    assert.match(await whyOf(admin, 1), /the whole group waits for seq 2, parked until/);
    assert.equal(queue.claim('worker', HOUR_MS), null);
    const [row] = (await admin.groups()).rows;
    assert.deepEqual([row?.holder, row?.expiresAt], [null, (await admin.message(2))?.expiresAt]);
  }));

test('a head with a lapsed lock is lapsed, shows the worker that lost it, and the next claim takes it', () =>
  withAdmin(async ({ queue, admin, edit }) => {
    queue.publish('g', 1);
    edit(`${lapse(1)};UPDATE harel_transport_groups SET last_claimed_at = 1e9`);
    assert.deepEqual(await agreedStates(admin), { 1: 'lapsed' });
    const [row] = (await admin.groups()).rows;
    assert.deepEqual([row?.headState, row?.holder, row?.expiresAt], ['lapsed', 'gone', 1e12]);
    assert.equal(queue.claim('worker', HOUR_MS)?.seq, 1);
  }));

test("a group's row without messages is neither listed nor counted", () =>
  withAdmin(async ({ queue, admin, edit }) => {
    queue.publish('g', 1);
    edit("INSERT INTO harel_transport_groups (group_id) VALUES ('ghost')");
    const { rows, total } = await admin.groups();
    assert.deepEqual([rows.map(({ groupId }) => groupId), total], [['g'], 1]);
    assert.equal((await admin.overview()).groups, 1);
    assert.equal((await admin.groups({ search: 'g' })).total, 1);
  }));
