import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MessageState, QueueAdmin } from '../../contract/admin.ts';
import { type Bench, fenceOf, HOUR_MS, withAdmin } from './kit.ts';

const STATES: readonly MessageState[] = ['ready', 'waiting', 'leased', 'lapsed', 'parked', 'dead'];

/** Each message's state, once the lists, their totals and the counts agree on all of them. */
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

/** Two messages in g; the operator parks the one behind the head. */
async function parkBehind({ queue, admin }: Bench): Promise<void> {
  queue.publish('g', 1);
  queue.publish('g', 2);
  await admin.operate({ kind: 'park', fence: await fenceOf(admin, 2), delayMs: HOUR_MS });
}

describe('a message parked behind its head', () => {
  it('is counted like it is listed, and its whole group waits for it', () =>
    withAdmin(async (bench) => {
      const { queue, admin } = bench;
      await parkBehind(bench);
      queue.publish('g', 3);
      assert.deepEqual(await agreedStates(admin), { 1: 'waiting', 2: 'parked', 3: 'waiting' });
      assert.equal((await admin.overview()).parked, 1);
      assert.equal(queue.claim('worker', HOUR_MS), null);
      assert.match(
        await whyOf(admin, 1),
        /^It is the head, but the whole group waits for seq 2, parked until \d\d:\d\d:\d\d\.$/,
      );
      assert.match(
        await whyOf(admin, 3),
        /^Behind seq 1, and the whole group waits for seq 2, parked until \d\d:\d\d:\d\d\.$/,
      );
    }));

  it('is what the row of its group waits for', () =>
    withAdmin(async (bench) => {
      const { queue, admin } = bench;
      await parkBehind(bench);
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

  it('leaves a head that is leased to speak for the row', () =>
    withAdmin(async ({ queue, admin }) => {
      queue.publish('g', 1);
      queue.publish('g', 2);
      const lease = queue.claim('worker', HOUR_MS);
      await admin.operate({ kind: 'park', fence: await fenceOf(admin, 2), delayMs: 2 * HOUR_MS });
      const [row] = (await admin.groups()).rows;
      assert.deepEqual([row?.headState, row?.holder, row?.expiresAt], ['leased', 'worker', lease?.expiresAt]);
      assert.deepEqual(await agreedStates(admin), { 1: 'leased', 2: 'parked' });
    }));
});

describe('a lapsed lock', () => {
  const lapse = (seq: number) =>
    `UPDATE harel_transport_messages SET locked_by = 'gone', lock_expiry = 1e9 WHERE seq = ${seq}`;

  it('behind the head is only another message that waits', () =>
    withAdmin(async ({ queue, admin, edit }) => {
      queue.publish('g', 1);
      queue.publish('g', 2);
      edit(lapse(2));
      assert.deepEqual(await agreedStates(admin), { 1: 'ready', 2: 'waiting' });
      assert.equal(await whyOf(admin, 2), 'Behind seq 1, which is in turn.');
      assert.equal(queue.claim('worker', HOUR_MS)?.seq, 1);
    }));

  it('of the head waits while another message of the group is locked', () =>
    withAdmin(async (bench) => {
      const { queue, admin, edit } = bench;
      await parkBehind(bench);
      edit(lapse(1));
      assert.deepEqual(await agreedStates(admin), { 1: 'waiting', 2: 'parked' });
      assert.match(await whyOf(admin, 1), /the whole group waits for seq 2, parked until/);
      assert.equal(queue.claim('worker', HOUR_MS), null);
      const [row] = (await admin.groups()).rows;
      assert.deepEqual([row?.holder, row?.expiresAt], [null, (await admin.message(2))?.expiresAt]);
    }));

  it('of the head is the next to be taken, with the worker that lost it', () =>
    withAdmin(async ({ queue, admin, edit }) => {
      queue.publish('g', 1);
      edit(`${lapse(1)};UPDATE harel_transport_groups SET last_claimed_at = 1e9`);
      assert.deepEqual(await agreedStates(admin), { 1: 'lapsed' });
      const [row] = (await admin.groups()).rows;
      assert.deepEqual([row?.headState, row?.holder, row?.expiresAt], ['lapsed', 'gone', 1e12]);
      assert.equal(queue.claim('worker', HOUR_MS)?.seq, 1);
    }));
});

it("a group's row without messages is none, in the list, its total and the count", () =>
  withAdmin(async ({ queue, admin, edit }) => {
    queue.publish('g', 1);
    edit("INSERT INTO harel_transport_groups (group_id) VALUES ('ghost')");
    const { rows, total } = await admin.groups();
    assert.deepEqual([rows.map(({ groupId }) => groupId), total], [['g'], 1]);
    assert.equal((await admin.overview()).groups, 1);
    assert.equal((await admin.groups({ search: 'g' })).total, 1);
  }));
