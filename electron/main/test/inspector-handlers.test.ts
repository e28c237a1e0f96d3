import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspectorHandlers } from '../inspector-handlers.ts';
import { adminOver, FENCE as fence } from './stub-admin.ts';

const info = { title: 'Jobs', operations: ['ack'] } as const;

test('an argument that the page should not send is refused before it reaches the admin', () => {
  const { admin, operations } = adminOver('{}');
  const handlers = inspectorHandlers(admin, info);
  const refused = { code: 'BAD_ARGUMENT' };
  assert.throws(() => handlers.groups({ sort: '1; DROP TABLE x' }), refused);
  assert.throws(() => handlers.messages({ limit: 1_000_000 }), refused);
  assert.throws(() => handlers.message('one'), refused);
  assert.throws(() => handlers.operate({ kind: 'ack', fence, force: true }), refused);
  assert.throws(() => handlers.purge({ deadLetters: { maxCount: -1 } }), refused);
  assert.throws(() => handlers.purge(undefined), refused);
  assert.deepEqual(operations, []);
});

test('each call of the page reaches the same call of the admin', async () => {
  const { admin, operations } = adminOver('{"n":1}');
  const handlers = inspectorHandlers(admin, info);
  assert.equal((await handlers.overview(undefined)).file, 'queue.db');
  assert.equal((await handlers.groups(undefined)).total, 0);
  assert.equal((await handlers.messages(undefined)).total, 1);
  assert.equal((await handlers.message(1))?.eventJson, '{"n":1}');
  await handlers.operate({ kind: 'ack', fence });
  assert.deepEqual(operations, [{ kind: 'ack', fence }]);
  assert.equal((await handlers.purge({})).deadLetters, 1);
  assert.deepEqual(await handlers.info(undefined), info);
});
