import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { MessageFence, Operation } from '../../contract/admin.ts';
import { openAdmin } from '../../index.ts';
import { RpcClient } from '../../rpc/client.ts';
import type { AdminMethod, AdminThreadOptions } from '../admin-protocol.ts';
import { fenceOf, HOUR_MS, publishEachState, withAdmin } from './admin-fixture.ts';

const operations: readonly (readonly [string, number, (fence: MessageFence) => Operation])[] = [
  ['ack', 2, (fence) => ({ kind: 'ack', fence })],
  ['nack', 2, (fence) => ({ kind: 'nack', fence })],
  ['park', 5, (fence) => ({ kind: 'park', fence, delayMs: HOUR_MS })],
  ['republish', 2, (fence) => ({ kind: 'republish', fence })],
];

for (const [kind, seq, operation] of operations) {
  test(`${kind} changes its message and adds a row to the journal, and the same operation again is stale`, () =>
    withAdmin(async ({ queue, admin, sql, edit }) => {
      publishEachState({ queue, edit });
      const fence = await fenceOf(admin, seq);
      const result = await admin.operate(operation(fence));
      assert.equal(result.outcome, 'done');
      const [row] = sql('SELECT locked_by, lock_expiry FROM harel_transport_messages WHERE seq = ?', seq);
      if (kind === 'nack') assert.deepEqual({ ...row }, { locked_by: null, lock_expiry: null });
      else if (kind === 'park') assert.equal(row?.locked_by, '__parked__');
      else assert.equal(row, undefined);
      const journal = sql('SELECT operator, act, seq, group_id FROM harel_transport_journal');
      assert.deepEqual(
        journal.map((entry) => ({ ...entry })),
        [{ operator: 'ada', act: kind, seq, group_id: kind === 'park' ? 'ready' : 'parked' }],
      );
      const again = await admin.operate(operation(fence));
      assert.equal(again.outcome, 'stale');
      assert.equal(sql('SELECT * FROM harel_transport_journal').length, 1);
    }));
}

test('an operation on a message that was claimed meanwhile changes nothing, and says who holds it', () =>
  withAdmin(async ({ queue, admin, sql }) => {
    queue.publish('g', 1);
    const fence = await fenceOf(admin, 1);
    queue.claim('worker-2', HOUR_MS);
    for (const operation of [
      { kind: 'ack', fence },
      { kind: 'nack', fence },
      { kind: 'park', fence, delayMs: 1000 },
      { kind: 'republish', fence, eventJson: '2' },
    ] as const) {
      const result = await admin.operate(operation);
      assert.match(
        result.outcome === 'stale' ? result.message : '',
        /^Leased by worker-2 until/,
        operation.kind,
      );
    }
    assert.equal(sql("SELECT * FROM harel_transport_messages WHERE locked_by = 'worker-2'").length, 1);
    assert.equal(sql('SELECT * FROM harel_transport_journal').length, 0);
  }));

test('a nack takes a message from its holder, whose own settle then fails with LEASE_LOST', () =>
  withAdmin(async ({ queue, admin }) => {
    queue.publish('g', 1);
    const lease = queue.claim('worker', HOUR_MS);
    assert.ok(lease);
    await admin.operate({ kind: 'nack', fence: await fenceOf(admin, 1) });
    assert.throws(() => queue.ack(lease), { code: 'LEASE_LOST' });
    assert.equal(queue.claim('worker', HOUR_MS)?.seq, 1);
  }));

test('a dead letter can be re-published edited, to another group, and the new message names its origin', () =>
  withAdmin(async ({ queue, admin, sql, edit }) => {
    publishEachState({ queue, edit });
    const result = await admin.operate({
      kind: 'republish',
      fence: await fenceOf(admin, 4),
      eventJson: '{"edited":true}',
      groupId: 'elsewhere',
      priority: 4,
      routingKey: 'gpu',
    });
    assert.equal(result.outcome, 'done');
    const seq = result.outcome === 'done' ? result.seq : 0;
    const detail = await admin.message(seq);
    assert.deepEqual(
      [
        detail?.groupId,
        detail?.eventJson,
        detail?.priority,
        detail?.routingKey,
        detail?.originSeq,
        detail?.attempts,
      ],
      ['elsewhere', '{"edited":true}', 4, 'gpu', 4, 0],
    );
    assert.equal(sql('SELECT * FROM harel_transport_dead_letters').length, 0);
    assert.equal((await admin.messages({ state: 'dead' })).total, 0);
  }));

test('a dead letter cannot be nacked or parked, but it can be acked', () =>
  withAdmin(async ({ queue, admin, edit }) => {
    publishEachState({ queue, edit });
    const fence = await fenceOf(admin, 4);
    const deadSeqs = async () => (await admin.messages({ state: 'dead' })).rows.map(({ seq }) => seq);
    await assert.rejects(admin.operate({ kind: 'nack', fence }), { code: 'NOT_APPLICABLE' });
    await assert.rejects(admin.operate({ kind: 'park', fence, delayMs: 1000 }), { code: 'NOT_APPLICABLE' });
    assert.deepEqual(await deadSeqs(), [4]);
    assert.equal((await admin.operate({ kind: 'ack', fence })).outcome, 'done');
    assert.deepEqual(await deadSeqs(), []);
  }));

test('a fence matches a lock that another program wrote, whatever digits its expiry has', () =>
  withAdmin(async ({ queue, admin, edit }) => {
    queue.publish('g', 1);
    edit("UPDATE harel_transport_messages SET locked_by = 'other', lock_expiry = 1999999999.1234567");
    assert.equal((await admin.operate({ kind: 'nack', fence: await fenceOf(admin, 1) })).outcome, 'done');
  }));

test('a group that a re-publish creates gets its place in the claim order from the option fairness', () =>
  withAdmin(async ({ queue, file, sql }) => {
    queue.publish('a', 1);
    queue.publish('b', 1);
    const lastClaimed: unknown[] = [];
    for (const [seq, fairness] of [
      [1, undefined],
      [2, 'longest-waiting-first'],
    ] as const) {
      const admin = openAdmin({ path: file, ...(fairness && { fairness }) });
      await admin.operate({ kind: 'republish', fence: await fenceOf(admin, seq), groupId: `new ${seq}` });
      await admin.close();
      const [group] = sql(
        'SELECT last_claimed_at FROM harel_transport_groups WHERE group_id = ?',
        `new ${seq}`,
      );
      lastClaimed.push(group?.last_claimed_at);
    }
    assert.equal(lastClaimed[0], 0);
    assert.ok(Math.abs((lastClaimed[1] as number) - Date.now() / 1000) < 600);
  }));

test('an operation that fails in the thread, here by its unknown kind, is rolled back and leaves no row in the journal', () =>
  withAdmin(async ({ queue, admin, file, sql }) => {
    queue.publish('g', 1);
    const options: AdminThreadOptions = {
      path: file,
      tablePrefix: undefined,
      operator: 'ada',
      fairness: 'new-groups-first',
      secureDelete: false,
    };
    const worker = new Worker(new URL('../admin.thread.ts', import.meta.url), { workerData: options });
    const thread = new RpcClient<AdminMethod>(worker, { owner: 'admin' });
    const operation = { kind: 'drop', fence: await fenceOf(admin, 1) };
    await assert.rejects(thread.call('operate', operation), { code: 'UNEXPECTED' });
    await thread.close();
    assert.equal(sql('SELECT * FROM harel_transport_journal').length, 0);
    assert.equal((await admin.message(1))?.state, 'ready');
  }));

test("an operator's purge removes what exceeds the limits, and adds one row to the journal, unless it removed nothing", () =>
  withAdmin(async ({ queue, admin, sql }) => {
    for (let n = 0; n < 5; n++) {
      queue.publish('g', n);
      const lease = queue.claim('worker', HOUR_MS);
      assert.ok(lease);
      queue.bury(lease);
    }
    const retention = { deadLetters: { maxCount: 2 } };
    const nothing = { deadLetters: 0, journal: 0, hasMore: false };
    assert.deepEqual(await admin.purge(retention), { ...nothing, deadLetters: 3 });
    assert.deepEqual(await admin.purge(retention), nothing);
    assert.deepEqual(
      (await admin.messages({ state: 'dead' })).rows.map(({ deadId }) => deadId),
      [4, 5],
    );
    const journal = sql('SELECT operator, act, seq, group_id, detail FROM harel_transport_journal');
    const detail = JSON.stringify({ given: retention, removed: { deadLetters: 3, journal: 0 } });
    assert.deepEqual(
      journal.map((row) => ({ ...row })),
      [{ operator: 'ada', act: 'purge', seq: 0, group_id: '', detail }],
    );
    await assert.rejects(admin.purge({ journal: { maxAgeMs: -1 } }), { code: 'BAD_ARGUMENT' });
  }));
