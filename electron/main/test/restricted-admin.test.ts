import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '../../../core/contract/admin.ts';
import { restrictedAdmin } from '../restricted-admin.ts';
import { adminOver, FENCE as fence } from './stub-admin.ts';

test('an operation that the app does not allow is refused and does not reach the queue', async () => {
  const { admin, operations } = adminOver('{}');
  await assert.rejects(restrictedAdmin(admin, ['nack']).operate({ kind: 'ack', fence }), {
    code: 'NOT_ALLOWED',
    message: /"ack"/,
  });
  assert.deepEqual(operations, []);
});

test('an operation that the app allows reaches the queue, and reading is never restricted', async () => {
  const { admin, operations } = adminOver('{}');
  const nack: Operation = { kind: 'nack', fence };
  assert.deepEqual(await restrictedAdmin(admin, ['nack']).operate(nack), { outcome: 'done', seq: 1 });
  assert.deepEqual(operations, [nack]);
  assert.equal((await restrictedAdmin(admin, []).message(1))?.eventJson, '{}');
});

test('a purge is refused unless the app allows it', async () => {
  const { admin } = adminOver('{}');
  const all = { deadLetters: { maxCount: 0 } };
  await assert.rejects(restrictedAdmin(admin, ['ack']).purge(all), {
    code: 'NOT_ALLOWED',
    message: /"purge"/,
  });
  assert.equal((await restrictedAdmin(admin, ['purge']).purge(all)).deadLetters, 1);
});
