import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageDetail, Operation, QueueAdmin } from '../../../core/contract/admin.ts';
import { OPERATION_KINDS } from '../../../core/validate/admin-arguments.ts';
import { type Guard, guardedOperate, shownMessage, shownMessages } from '../guarded-admin.ts';

const fence = { seq: 1, lockedBy: null, lockExpiry: null, deliveries: 0, dead: false };

/** An admin over one message; it keeps the operations it was handed. */
function adminOver(eventJson: string | null) {
  const operated: Operation[] = [];
  const detail =
    eventJson === null
      ? null
      : ({
          seq: 1,
          eventJson,
          preview: eventJson.slice(0, 200),
          redacted: false,
          fence,
        } as unknown as MessageDetail);
  const admin = {
    messages: async () => ({ now: 0, rows: detail ? [detail] : [], total: detail ? 1 : 0 }),
    message: async () => detail,
    operate: async (operation: Operation) => {
      operated.push(operation);
      return { outcome: 'done', seq: 1 };
    },
  } as Partial<QueueAdmin> as QueueAdmin;
  return { admin, operated };
}

const hideToken = (event: unknown) => ({ ...(event as object), token: '•••' });
const guard = (admin: QueueAdmin, more: Partial<Guard> = {}): Guard => ({
  admin,
  operations: OPERATION_KINDS,
  redact: hideToken,
  ...more,
});

test('a row and a detail show the redacted event', async () => {
  const { admin } = adminOver('{"token":"s3cret","n":1}');
  const { rows } = await shownMessages(guard(admin), {});
  assert.equal(rows[0]?.preview, '{"token":"•••","n":1}');
  const detail = await shownMessage(guard(admin), 1);
  assert.equal(detail?.eventJson, '{"token":"•••","n":1}');
  assert.equal(detail?.preview, '{"token":"•••","n":1}');
});

test('a detail says whether something of its event is hidden', async () => {
  const { admin } = adminOver('{"token":"s3cret"}');
  assert.equal((await shownMessage(guard(admin), 1))?.redacted, true);
  assert.equal((await shownMessage(guard(admin, { redact: (event) => event }), 1))?.redacted, false);
  assert.equal((await shownMessage(guard(admin, { redact: undefined }), 1))?.redacted, false);
});

test('a preview that was cut is redacted from the whole event', async () => {
  const { admin } = adminOver(JSON.stringify({ pad: 'x'.repeat(190), token: 's3cret' }));
  const { rows } = await shownMessages(guard(admin), {});
  assert.match(rows[0]?.preview ?? '', /^\{"pad":"x+/);
  assert.ok((rows[0]?.preview.length ?? 0) <= 200);
  const { admin: early } = adminOver(JSON.stringify({ token: 's3cret', pad: 'x'.repeat(190) }));
  const shown = await shownMessages(guard(early), {});
  assert.doesNotMatch(shown.rows[0]?.preview ?? '', /s3cret/);
});

test('an operation that the host did not allow reaches nothing', async () => {
  const { admin, operated } = adminOver('{}');
  await assert.rejects(guardedOperate(guard(admin, { operations: ['nack'] }), { kind: 'ack', fence }), {
    code: 'NOT_ALLOWED',
  });
  assert.deepEqual(operated, []);
});

test('re-publishing the redacted text unedited re-publishes the event as it is', async () => {
  const { admin, operated } = adminOver('{"token":"s3cret"}');
  await guardedOperate(guard(admin), { kind: 'republish', fence, eventJson: '{"token":"•••"}', priority: 3 });
  assert.deepEqual(operated, [{ kind: 'republish', fence, priority: 3 }]);
});

test('editing a redacted event is refused', async () => {
  const { admin, operated } = adminOver('{"token":"s3cret"}');
  await assert.rejects(
    guardedOperate(guard(admin), { kind: 'republish', fence, eventJson: '{"token":"new"}' }),
    { code: 'NOT_ALLOWED', message: /hides parts/ },
  );
  assert.deepEqual(operated, []);
});

test('an event that redact leaves alone can be edited', async () => {
  const { admin, operated } = adminOver('{"n":1}');
  const edit: Operation = { kind: 'republish', fence, eventJson: '{"n":2}' };
  await guardedOperate(guard(admin, { redact: (event) => event }), edit);
  assert.deepEqual(operated, [edit]);
});

test('an edit of a message that has gone is left for the queue to answer', async () => {
  const { admin, operated } = adminOver(null);
  await guardedOperate(guard(admin), { kind: 'republish', fence, eventJson: '{"n":2}' });
  assert.equal(operated.length, 1);
});
