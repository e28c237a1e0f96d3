import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatRoute,
  GROUPS_ROUTE,
  isFiltered,
  MESSAGES_ROUTE,
  parseRoute,
  type Route,
  withoutFilters,
} from '../route.ts';

test('a formatted route is parsed to the same route', () => {
  const routes: Route[] = [
    GROUPS_ROUTE,
    MESSAGES_ROUTE,
    { ...GROUPS_ROUTE, search: 'a&b=c #1', state: 'lapsed', minPriority: 3 },
    { ...GROUPS_ROUTE, sort: { column: 'depth', descending: false } },
    {
      ...MESSAGES_ROUTE,
      search: '"größe": 1+1?',
      state: 'dead',
      group: 'C:\\Fotos\\Ärger & mehr?',
      sort: { column: 'age', descending: true },
      open: { seq: 812, deadId: 3 },
    },
    { ...MESSAGES_ROUTE, group: '' },
  ];
  for (const route of routes) assert.deepEqual(parseRoute(formatRoute(route)), route);
});

test('a URL omits what equals the default', () => {
  assert.equal(formatRoute(MESSAGES_ROUTE), '#/messages');
  assert.equal(formatRoute({ ...MESSAGES_ROUTE, open: { seq: 7, deadId: null } }), '#/messages?seq=7');
  assert.equal(formatRoute({ ...MESSAGES_ROUTE, open: { seq: 7, deadId: 2 } }), '#/messages?seq=7&dead=2');
});

test('unknown and invalid parts of a URL are ignored', () => {
  assert.deepEqual(parseRoute(''), GROUPS_ROUTE);
  assert.deepEqual(parseRoute('#/nowhere?state=ready'), { ...GROUPS_ROUTE, state: 'ready' });
  assert.deepEqual(parseRoute('#/messages?state=gone&sort=colour&seq=-1&seq2=%'), MESSAGES_ROUTE);
  assert.deepEqual(parseRoute('#/messages?seq=99999999999999999999'), MESSAGES_ROUTE);
  assert.deepEqual(parseRoute('#/messages?dead=3'), MESSAGES_ROUTE);
  assert.deepEqual(parseRoute('#/groups?priority=9'), GROUPS_ROUTE);
});

test('clearing the filters keeps the order and the open message', () => {
  const route: Route = {
    ...MESSAGES_ROUTE,
    group: 'a',
    sort: { column: 'age', descending: true },
    open: { seq: 4, deadId: null },
  };
  assert.equal(isFiltered(route), true);
  const cleared = withoutFilters(route);
  assert.equal(isFiltered(cleared), false);
  assert.deepEqual(cleared, { ...route, group: null });
});
