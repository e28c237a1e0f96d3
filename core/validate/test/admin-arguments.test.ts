import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkedGroupsQuery,
  checkedMessageKey,
  checkedMessagesQuery,
  checkedOperation,
} from '../admin-arguments.ts';

const fence = { seq: 7, lockedBy: null, fence: 0, deadId: null };
const assertRefused = (run: () => unknown, message: RegExp, code = 'BAD_ARGUMENT') =>
  assert.throws(run, (error: { code?: string; message: string }) => {
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  });

test('a query that is left out becomes an empty one', () => {
  assert.deepEqual(checkedGroupsQuery(undefined), {});
  assert.deepEqual(checkedMessagesQuery(undefined), {});
});

test('a valid query comes back with the same fields, as a copy', () => {
  const query = {
    sort: 'oldest',
    descending: true,
    search: 'x',
    state: 'parked',
    minPriority: 2,
    limit: 50,
  };
  const copy = checkedGroupsQuery(query);
  assert.deepEqual(copy, query);
  assert.notEqual(copy, query);
});

test('fields that a class defines as getters are part of the copy', () => {
  class Named {
    get search() {
      return 'x';
    }
  }
  assert.deepEqual(checkedGroupsQuery(new Named()), { search: 'x' });
  const operation = { kind: 'ack', fence: Object.create(fence) };
  assert.deepEqual(checkedOperation(operation), { kind: 'ack', fence });
  assert.throws(() => checkedGroupsQuery(Object.create({ limit: 0 })), { code: 'BAD_ARGUMENT' });
});

test('undefined fields of a query are dropped', () => {
  assert.deepEqual(checkedMessagesQuery({ search: undefined, groupId: 'g' }), { groupId: 'g' });
});

const wrongQueries: [string, unknown, RegExp][] = [
  ['an unknown field', { where: '1=1' }, /where/],
  ['a misspelled field', { serach: 'x' }, /search/],
  ['a field named like a part of the prototype', JSON.parse('{"__proto__": {"limit": 3}}'), /__proto__/],
  ['a sort that does not exist', { sort: 'event; DROP TABLE' }, /query\.sort/],
  [
    'a sort named like a part of the prototype',
    { sort: 'constructor' },
    /query\.sort must be "seq" or .*not "constructor"/,
  ],
  ['an unknown state', { state: 'asleep' }, /query\.state/],
  ['no rows', { limit: 0 }, /query\.limit.*from 1/],
  ['too many rows', { limit: 1_001 }, /query\.limit.*1000/],
  ['a negative offset', { offset: -1 }, /query\.offset/],
  ['a fraction', { limit: 1.5 }, /whole number/],
  ['a number as a string', { limit: '10' }, /query\.limit/],
  ['a search that is too long', { search: 'x'.repeat(1_001) }, /1001 characters/],
  ['a search with a NUL character', { search: 'a\0b' }, /NUL/],
  ['an array', [], /must be an object/],
  ['a string', 'all', /must be an object/],
];
for (const [name, query, message] of wrongQueries)
  test(`a query is refused for ${name}`, () => assertRefused(() => checkedMessagesQuery(query), message));

test('the state dead is accepted for messages and refused for groups', () => {
  assert.deepEqual(checkedMessagesQuery({ state: 'dead' }), { state: 'dead' });
  assertRefused(() => checkedGroupsQuery({ state: 'dead' }), /query\.state/);
});

test('a seq is accepted when it is a whole number, and the id of a dead letter when it is at least 1', () => {
  assert.equal(checkedMessageKey(1), 1);
  assert.deepEqual(checkedMessageKey({ deadId: 1 }), { deadId: 1 });
  for (const seq of [0, -1]) {
    assert.equal(checkedMessageKey(seq), seq);
    assertRefused(() => checkedMessageKey({ deadId: seq }), /key\.deadId/);
  }
  for (const value of [1.5, '1', Number.NaN, 2 ** 53, null, undefined]) {
    assertRefused(() => checkedMessageKey(value), /seq/);
    assertRefused(() => checkedMessageKey({ deadId: value }), /key\.deadId/);
  }
  for (const value of [{}, [1], { seq: 1 }, { deadId: 1, seq: 1 }])
    assertRefused(() => checkedMessageKey(value), /key/);
});

for (const operation of [
  { kind: 'ack', fence },
  { kind: 'nack', fence: { ...fence, lockedBy: 'w', fence: 3 } },
  { kind: 'park', fence, delayMs: 60_000 },
  { kind: 'republish', fence },
  {
    kind: 'republish',
    fence,
    eventJson: '{"n":12345678901234567890}',
    groupId: 'g',
    priority: 4,
    routingKey: null,
  },
])
  test(`${operation.kind} with ${Object.keys(operation).length} fields is accepted`, () =>
    assert.deepEqual(checkedOperation(operation), operation));

const wrongOperations: [string, unknown, RegExp][] = [
  ['null instead of an object', null, /operation must be an object/],
  ['a missing kind', { fence }, /operation\.kind/],
  ['an unknown kind', { kind: 'drop', fence }, /operation\.kind/],
  ['a kind named like a part of the prototype', { kind: 'constructor', fence }, /operation\.kind/],
  ['a missing fence', { kind: 'ack' }, /operation\.fence is missing/],
  ['a fence without the lock', { kind: 'ack', fence: { seq: 7 } }, /fence\.lockedBy is missing/],
  ['a fence with an unknown field', { kind: 'ack', fence: { ...fence, force: true } }, /force/],
  ['an infinite fence', { kind: 'ack', fence: { ...fence, fence: Infinity } }, /fence\.fence must be/],
  ["another operation's field", { kind: 'ack', fence, delayMs: 5 }, /delayMs/],
  ['a park without a delay', { kind: 'park', fence }, /delayMs is missing/],
  ['a park with a negative delay', { kind: 'park', fence, delayMs: -5 }, /delayMs/],
  ['a park with a delay of 0', { kind: 'park', fence, delayMs: 0 }, /delayMs/],
  ['a park of two years', { kind: 'park', fence, delayMs: 2 * 366 * 24 * 3_600_000 }, /delayMs/],
  ['an event that is not a string', { kind: 'republish', fence, eventJson: { a: 1 } }, /eventJson/],
  ['a priority of 5', { kind: 'republish', fence, priority: 5 }, /priority/],
  ['a group that is null', { kind: 'republish', fence, groupId: null }, /groupId/],
];
for (const [name, operation, message] of wrongOperations)
  test(`an operation is refused for ${name}`, () =>
    assertRefused(() => checkedOperation(operation), message));

const MEBIBYTE = 1024 * 1024;
const republish = (eventJson: string) => () => checkedOperation({ kind: 'republish', fence, eventJson });

test('an edited event is accepted up to 1 MiB of UTF-8, and refused with one byte more', () => {
  // Each é takes two bytes, and so do the quotes together.
  const most = `"${'é'.repeat(MEBIBYTE / 2 - 1)}"`;
  assert.equal(Buffer.byteLength(most), MEBIBYTE);
  assert.doesNotThrow(republish(most));
  assertRefused(
    republish(most.replace('"', '"x')),
    /eventJson has 1048577 bytes.*1048576\. Shorten/,
    'EVENT_TOO_LARGE',
  );
});

test('an edited event that is not JSON is refused', () => {
  for (const text of ['', 'undefined', '{"a":', "{'a': 1}", '1 2'])
    assertRefused(republish(text), /operation\.eventJson ".*" is not JSON .*\. Correct it/, 'BAD_EVENT');
});
