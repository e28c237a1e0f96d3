import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatPlace,
  GROUPS,
  isFiltered,
  MESSAGES,
  type Place,
  parsePlace,
  withoutFilters,
} from '../route.ts';

test('a place survives its way through the address', () => {
  const places: Place[] = [
    GROUPS,
    MESSAGES,
    { ...GROUPS, search: 'a&b=c #1', state: 'lapsed', minPriority: 3 },
    { ...GROUPS, sort: { column: 'depth', descending: false } },
    {
      ...MESSAGES,
      search: '"größe": 1+1?',
      state: 'dead',
      group: 'C:\\Fotos\\Ärger & mehr?',
      sort: { column: 'age', descending: true },
      seq: 812,
    },
    { ...MESSAGES, group: '' },
  ];
  for (const place of places) assert.deepEqual(parsePlace(formatPlace(place)), place);
});

test('the address says only what differs from the default', () => {
  assert.equal(formatPlace(MESSAGES), '#/messages');
  assert.equal(formatPlace({ ...MESSAGES, seq: 7 }), '#/messages?seq=7');
});

test('an address from elsewhere never throws: unknown parts are passed over', () => {
  assert.deepEqual(parsePlace(''), GROUPS);
  assert.deepEqual(parsePlace('#/nowhere?state=ready'), { ...GROUPS, state: 'ready' });
  assert.deepEqual(parsePlace('#/messages?state=gone&sort=colour&seq=-1&seq2=%'), MESSAGES);
  assert.deepEqual(parsePlace('#/messages?seq=99999999999999999999'), MESSAGES);
  assert.deepEqual(parsePlace('#/groups?priority=9'), GROUPS);
});

test('filters are what narrows the rows; the order and the open message stay when they are cleared', () => {
  const place: Place = { ...MESSAGES, group: 'a', sort: { column: 'age', descending: true }, seq: 4 };
  assert.equal(isFiltered(place), true);
  const cleared = withoutFilters(place);
  assert.equal(isFiltered(cleared), false);
  assert.deepEqual(cleared, { ...place, group: null });
});
