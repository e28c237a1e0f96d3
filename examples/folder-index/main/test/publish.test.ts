import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bury } from 'leasehold';
import { checkedEvent, messageFor } from '../publish.ts';

test('a message names the file, and its folder is the group', () => {
  const file = { path: 'photos/2026/a.png', size: 7, mtimeMs: 5 };
  assert.deepEqual(messageFor('/home/ada', file), {
    groupId: 'photos/2026',
    event: { path: 'photos/2026/a.png', size: 7, mtimeMs: 5, root: '/home/ada' },
    priority: 3,
  });
  assert.equal(messageFor('/home/ada', { ...file, path: 'a.png' }).groupId, '.');
});

test('an event that names no file is buried', () => {
  assert.deepEqual(checkedEvent({ path: 'a', root: '/b', size: 1 }), { path: 'a', root: '/b' });
  for (const event of [null, 7, {}, { path: 'a' }, { path: '', root: '/b' }, { path: 1, root: '/b' }])
    assert.throws(() => checkedEvent(event), Bury);
});
