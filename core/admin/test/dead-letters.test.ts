import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AdminFixture, HOUR_MS, withAdmin } from './admin-fixture.ts';

/** Two dead letters and a message, all with seq 1: another program has emptied the table and reset its numbering twice. */
function publishWithOneSeq({ queue, edit }: AdminFixture): void {
  for (const event of ['first', 'second', 'live']) {
    edit("DELETE FROM sqlite_sequence WHERE name = 'harel_transport_messages'");
    assert.equal(queue.publish('g', event), 1);
    if (event === 'live') return;
    const lease = queue.claim('worker', HOUR_MS);
    assert.ok(lease);
    queue.bury(lease, { error: event });
  }
}

test('dead letters with one seq, and a message with it, are listed and opened by their own keys', () =>
  withAdmin(async (fixture) => {
    const { admin } = fixture;
    publishWithOneSeq(fixture);
    for (const descending of [false, true]) {
      const { rows, total } = await admin.messages({ descending });
      const expected: unknown[] = [
        [1, null, '"live"'],
        [1, 1, '"first"'],
        [1, 2, '"second"'],
      ];
      assert.deepEqual(
        rows.map(({ seq, deadId, preview }) => [seq, deadId, preview]),
        descending ? expected.reverse() : expected,
      );
      assert.equal(total, 3);
    }
    assert.equal((await admin.message(1))?.eventJson, '"live"');
    assert.equal((await admin.message({ deadId: 1 }))?.eventJson, '"first"');
    assert.equal((await admin.message({ deadId: 2 }))?.eventJson, '"second"');
    assert.equal(await admin.message({ deadId: 3 }), null);
  }));

test('an operation on a dead letter reaches that one, whichever others have its seq', () =>
  withAdmin(async (fixture) => {
    const { admin, queue, sql } = fixture;
    publishWithOneSeq(fixture);
    const fence = (await admin.message({ deadId: 1 }))?.fence;
    assert.ok(fence);
    const done = await admin.operate({ kind: 'republish', fence });
    assert.equal(done.outcome, 'done');
    assert.deepEqual(
      queue.deadLetters().map(({ id, error }) => [id, error]),
      [[2, 'second']],
    );
    const events = sql('SELECT event FROM harel_transport_messages ORDER BY seq').map(({ event }) => event);
    assert.deepEqual(events, ['"live"', '"first"']);
    const again = await admin.operate({ kind: 'ack', fence });
    assert.deepEqual(again, {
      outcome: 'stale',
      message: 'Dead letter 1 is gone: it was acked or re-published.',
    });
    assert.equal(queue.deadLetters().length, 1);
  }));

test('a message that was buried is still found by its seq, as the last dead letter that had it', () =>
  withAdmin(async (fixture) => {
    const { admin, edit } = fixture;
    publishWithOneSeq(fixture);
    edit('DELETE FROM harel_transport_messages');
    const detail = await admin.message(1);
    assert.deepEqual([detail?.state, detail?.deadId, detail?.fence.deadId], ['dead', 2, 2]);
  }));

test('a message that no claim can name is buried, and its dead letter can be re-published', () =>
  withAdmin(async ({ admin, queue, edit }) => {
    queue.publish('g', 'far');
    edit('UPDATE harel_transport_messages SET seq = 9007199254740993');
    assert.equal(queue.claim('worker', HOUR_MS), null);
    const [row] = (await admin.messages({ state: 'dead' })).rows;
    const detail = await admin.message({ deadId: row?.deadId ?? 0 });
    assert.match(detail?.lastError ?? '', /beyond 2\^53/);
    assert.ok(detail);
    assert.equal((await admin.operate({ kind: 'republish', fence: detail.fence })).outcome, 'done');
    assert.equal(queue.claim('worker', HOUR_MS)?.event, 'far');
  }));

test('a message with a seq below 1 is opened and acked like any other', () =>
  withAdmin(async ({ admin, queue, edit }) => {
    queue.publish('g', 'early');
    edit('UPDATE harel_transport_messages SET seq = -7');
    const detail = await admin.message(-7);
    assert.equal(detail?.eventJson, '"early"');
    assert.equal((await admin.operate({ kind: 'ack', fence: detail.fence })).outcome, 'done');
    assert.equal((await admin.messages()).total, 0);
  }));
