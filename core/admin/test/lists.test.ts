import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageState } from '../../contract/admin.ts';
import { HOUR_MS, publishEachState, withAdmin } from './admin-fixture.ts';

test('the list of messages filters by every state, and the overview counts the same states', () =>
  withAdmin(async ({ queue, admin, edit }) => {
    publishEachState({ queue, edit });
    const states = { leased: [1], parked: [2], lapsed: [3], dead: [4], ready: [5], waiting: [6] } as const;
    for (const [state, seqs] of Object.entries(states)) {
      const page = await admin.messages({ state: state as MessageState });
      assert.deepEqual([page.rows.map(({ seq }) => seq), page.total], [seqs, seqs.length], state);
    }
    const all = await admin.messages();
    assert.deepEqual(
      all.rows.map(({ seq, state }) => [seq, state]),
      Object.entries(states).map(([state, [seq]]) => [seq, state]),
    );
    const { messages, groups, leased, parked, lapsed, dead } = await admin.overview();
    assert.deepEqual([messages, groups, leased, parked, lapsed, dead], [5, 4, 1, 1, 1, 1]);
  }));

test('the list of groups shows each head, the depth, the holder and the expiry of the lock', () =>
  withAdmin(async ({ queue, admin, edit }) => {
    publishEachState({ queue, edit });
    const { rows, total } = await admin.groups({ sort: 'depth', descending: true });
    assert.equal(total, 4);
    assert.deepEqual([rows[0]?.groupId, rows[0]?.depth, rows[0]?.holder], ['leased', 2, 'worker']);
    const byId = new Map(rows.map((row) => [row.groupId, row]));
    assert.equal(byId.get('parked')?.holder, null);
    assert.equal(byId.get('parked')?.lastError, 'ETIMEDOUT: no answer\n    at upload');
    assert.ok((byId.get('parked')?.expiresAt ?? 0) > Date.now());
    assert.equal(byId.get('ready')?.lastClaimedAt, null);
    assert.deepEqual(
      (await admin.groups({ state: 'lapsed' })).rows.map(({ groupId }) => groupId),
      ['lapsed'],
    );
  }));

test('the list of groups filters by search, priority and routing key', () =>
  withAdmin(async ({ queue, admin }) => {
    queue.publish('album-1', 1, { priority: 1, routingKey: 'gpu' });
    queue.publish('album-2', 1, { priority: 3 });
    queue.publish('letters', 1, { priority: 3, routingKey: 'cpu' });
    const found = async (query: Parameters<typeof admin.groups>[0]) => {
      const { rows, total } = await admin.groups(query);
      assert.equal(total, rows.length);
      return rows.map(({ groupId }) => groupId);
    };
    assert.deepEqual(await found({ search: 'BUM' }), ['album-1', 'album-2']);
    assert.deepEqual(await found({ minPriority: 2 }), ['album-2', 'letters']);
    assert.deepEqual(await found({ routingKey: 'gpu' }), ['album-1']);
    assert.deepEqual(await found({ minPriority: 2, search: 'album', descending: true }), ['album-2']);
  }));

test('the list of messages pages, sorts and searches, and a wildcard in a search has no special meaning', () =>
  withAdmin(async ({ queue, admin }) => {
    const events = Array.from({ length: 30 }, (_, n) => ({
      groupId: `g${n % 3}`,
      event: { n, path: `/${n}%_` },
    }));
    queue.publishMany(events);
    const page = await admin.messages({ descending: true, offset: 10, limit: 5 });
    assert.deepEqual([page.rows.map(({ seq }) => seq), page.total], [[20, 19, 18, 17, 16], 30]);
    const byGroup = await admin.messages({ sort: 'groupId', limit: 11 });
    assert.deepEqual(
      byGroup.rows.map(({ seq }) => seq),
      [1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 2],
    );
    assert.deepEqual(
      (await admin.messages({ search: '/7%_' })).rows.map(({ seq }) => seq),
      [8],
    );
    assert.equal((await admin.messages({ search: '/7__' })).total, 0);
    assert.equal((await admin.messages({ groupId: 'g1' })).total, 10);
    assert.equal((await admin.messages({ state: 'waiting', groupId: 'g1' })).total, 9);
  }));

test('reading changes nothing in the file', () =>
  withAdmin(async ({ queue, admin, sql, edit }) => {
    publishEachState({ queue, edit });
    const wholeFile = () =>
      ['messages', 'groups', 'dead_letters', 'journal'].map((table) =>
        sql(`SELECT * FROM harel_transport_${table}`),
      );
    const before = wholeFile();
    await Promise.all([
      admin.overview(),
      admin.groups(),
      admin.messages(),
      admin.message(1),
      admin.message(4),
    ]);
    assert.deepEqual(wholeFile(), before);
  }));

test('an event that another program stored as a BLOB is shown as text, live and dead', () =>
  withAdmin(async ({ queue, admin, edit }) => {
    queue.publish('live', {});
    queue.publish('dead', {});
    edit(`UPDATE harel_transport_messages SET event = CAST('{"n":"é"}' AS BLOB)`);
    // The claim buries both, because an event must be text.
    assert.equal(queue.claim('worker', HOUR_MS), null);
    edit(`INSERT INTO harel_transport_messages (group_id, event) VALUES ('live', CAST('{"n":"é"}' AS BLOB))`);
    assert.deepEqual(
      (await admin.messages()).rows.map(({ state, preview }) => [state, preview]),
      [
        ['dead', '{"n":"é"}'],
        ['dead', '{"n":"é"}'],
        ['waiting', '{"n":"é"}'],
      ],
    );
    for (const seq of [1, 3]) assert.equal((await admin.message(seq))?.eventJson, '{"n":"é"}');
  }));

test('a detail shows the event exactly as in the file, to the last digit', () =>
  withAdmin(async ({ queue, admin, edit }) => {
    queue.publish('g', {});
    edit(`UPDATE harel_transport_messages SET event = '{"big":12345678901234567890.10}'`);
    assert.equal((await admin.message(1))?.eventJson, '{"big":12345678901234567890.10}');
  }));
