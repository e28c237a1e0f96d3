import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GROUPS_ROUTE, MESSAGES_ROUTE } from '../route.ts';
import { groupsQuery, messagesQuery } from '../route-queries.ts';

test('a query contains only the filters that the route sets', () => {
  assert.deepEqual(messagesQuery(MESSAGES_ROUTE), { sort: 'seq', descending: false });
  assert.deepEqual(
    messagesQuery({
      ...MESSAGES_ROUTE,
      group: '',
      state: 'dead',
      search: 'x',
      open: { seq: 9, deadId: null },
    }),
    {
      sort: 'seq',
      descending: false,
      groupId: '',
      state: 'dead',
      search: 'x',
    },
  );
});

test('sorting by age in descending order sorts by the moment in ascending order', () => {
  assert.deepEqual(groupsQuery(GROUPS_ROUTE), { sort: 'oldest', descending: false });
  assert.deepEqual(messagesQuery({ ...MESSAGES_ROUTE, sort: { column: 'age', descending: false } }), {
    sort: 'published',
    descending: true,
  });
});
