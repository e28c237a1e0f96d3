import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '../../../core/contract/admin.ts';
import { redactedAdmin } from '../redacted-admin.ts';
import { adminOver, FENCE as fence } from './stub-admin.ts';

const hideToken = (event: unknown) => ({ ...(event as object), token: '•••' });
const hideNothing = (event: unknown) => event;

test('rows and details show the redacted event', async () => {
  const admin = redactedAdmin(adminOver('{"token":"s3cret","n":1}').admin, hideToken);
  const { rows } = await admin.messages();
  assert.equal(rows[0]?.preview, '{"token":"•••","n":1}');
  const detail = await admin.message(1);
  assert.equal(detail?.eventJson, '{"token":"•••","n":1}');
  assert.equal(detail?.preview, '{"token":"•••","n":1}');
});

test('a detail says whether parts of its event are hidden', async () => {
  const { admin } = adminOver('{"token":"s3cret"}');
  assert.equal((await redactedAdmin(admin, hideToken).message(1))?.redacted, true);
  assert.equal((await redactedAdmin(admin, hideNothing).message(1))?.redacted, false);
});

test('a preview that was cut is redacted from the whole event', async () => {
  const late = adminOver(JSON.stringify({ pad: 'x'.repeat(190), token: 's3cret' }));
  const { rows } = await redactedAdmin(late.admin, hideToken).messages();
  assert.match(rows[0]?.preview ?? '', /^\{"pad":"x+/);
  assert.ok((rows[0]?.preview.length ?? 0) <= 200);
  const early = adminOver(JSON.stringify({ token: 's3cret', pad: 'x'.repeat(190) }));
  const shown = await redactedAdmin(early.admin, hideToken).messages();
  assert.match(shown.rows[0]?.preview ?? '', /^\{"token":"•••"/);
  assert.doesNotMatch(shown.rows[0]?.preview ?? '', /s3cret/);
});

test('re-publishing the redacted text unedited re-publishes the event as it is', async () => {
  const { admin, operations } = adminOver('{"token":"s3cret"}');
  await redactedAdmin(admin, hideToken).operate({
    kind: 'republish',
    fence,
    eventJson: '{"token":"•••"}',
    priority: 3,
  });
  assert.deepEqual(operations, [{ kind: 'republish', fence, priority: 3 }]);
});

test('an edit of a redacted event is refused', async () => {
  const { admin, operations } = adminOver('{"token":"s3cret"}');
  const edit: Operation = { kind: 'republish', fence, eventJson: '{"token":"new"}' };
  await assert.rejects(redactedAdmin(admin, hideToken).operate(edit), {
    code: 'NOT_ALLOWED',
    message: /hides parts/,
  });
  assert.deepEqual(operations, []);
});

test('an event that redact leaves unchanged can be edited', async () => {
  const { admin, operations } = adminOver('{"n":1}');
  const edit: Operation = { kind: 'republish', fence, eventJson: '{"n":2}' };
  await redactedAdmin(admin, hideNothing).operate(edit);
  assert.deepEqual(operations, [edit]);
});

test('an edit of a message that was removed meanwhile reaches the queue, which reports it as stale', async () => {
  const { admin, operations } = adminOver(null);
  const edit: Operation = { kind: 'republish', fence, eventJson: '{"n":2}' };
  await redactedAdmin(admin, hideToken).operate(edit);
  assert.deepEqual(operations, [edit]);
});

test('operations without an event pass through a redacted admin unchanged', async () => {
  const { admin, operations } = adminOver('{"token":"s3cret"}');
  const park: Operation = { kind: 'park', fence, delayMs: 1000 };
  await redactedAdmin(admin, hideToken).operate(park);
  assert.deepEqual(operations, [park]);
});
