import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupsQuery, messagesQuery } from '../queries.ts';
import { GROUPS_ROUTE, MESSAGES_ROUTE } from '../route.ts';

test('only what is filtered is asked for', () => {
  assert.deepEqual(messagesQuery(MESSAGES_ROUTE), { sort: 'seq', descending: false });
  assert.deepEqual(messagesQuery({ ...MESSAGES_ROUTE, group: '', state: 'dead', search: 'x', seq: 9 }), {
    sort: 'seq',
    descending: false,
    groupId: '',
    state: 'dead',
    search: 'x',
  });
});

test('the highest age is the earliest moment', () => {
  assert.deepEqual(groupsQuery(GROUPS_ROUTE), { sort: 'oldest', descending: false });
  assert.deepEqual(messagesQuery({ ...MESSAGES_ROUTE, sort: { column: 'age', descending: false } }), {
    sort: 'published',
    descending: true,
  });
});
