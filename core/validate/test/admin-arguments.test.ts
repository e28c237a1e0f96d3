import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  checkedGroupsQuery,
  checkedMessagesQuery,
  checkedOperation,
  checkedSeq,
} from '../admin-arguments.ts';

const fence = { seq: 7, lockedBy: null, lockExpiry: null, deliveries: 0, dead: false };
const refused = (run: () => unknown, says: RegExp, code = 'BAD_ARGUMENT') =>
  assert.throws(run, (error: { code?: string; message: string }) => {
    assert.equal(error.code, code);
    assert.match(error.message, says);
    return true;
  });

describe('queries', () => {
  test('one that is left out asks for everything', () => {
    assert.deepEqual(checkedGroupsQuery(undefined), {});
    assert.deepEqual(checkedMessagesQuery(undefined), {});
  });

  test('a whole one comes back as it is, in a fresh object', () => {
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

  test('undefined fields are dropped', () => {
    assert.deepEqual(checkedMessagesQuery({ search: undefined, groupId: 'g' }), { groupId: 'g' });
  });

  const bad: [string, unknown, RegExp][] = [
    ['an unknown field', { where: '1=1' }, /where/],
    ['a misspelled field', { serach: 'x' }, /search/],
    ['a field of the prototype', JSON.parse('{"__proto__": {"limit": 3}}'), /__proto__/],
    ['a sort that does not exist', { sort: 'event; DROP TABLE' }, /query\.sort/],
    ['a sort of the prototype', { sort: 'constructor' }, /query\.sort must be "seq" or .*not "constructor"/],
    ['a state of another list', { state: 'asleep' }, /query\.state/],
    ['no rows', { limit: 0 }, /query\.limit.*from 1/],
    ['too many rows', { limit: 1_001 }, /query\.limit.*1000/],
    ['a negative offset', { offset: -1 }, /query\.offset/],
    ['a fraction', { limit: 1.5 }, /whole number/],
    ['a number as text', { limit: '10' }, /query\.limit/],
    ['a search that is too long', { search: 'x'.repeat(1_001) }, /1001 characters/],
    ['text with NUL', { search: 'a\0b' }, /NUL/],
    ['an array', [], /must be an object/],
    ['a string', 'all', /must be an object/],
  ];
  for (const [name, query, says] of bad) {
    test(`refused: ${name}`, () => refused(() => checkedMessagesQuery(query), says));
  }

  test('only dead messages, not groups, can be asked for', () => {
    assert.deepEqual(checkedMessagesQuery({ state: 'dead' }), { state: 'dead' });
    refused(() => checkedGroupsQuery({ state: 'dead' }), /query\.state/);
  });
});

test('a seq is a whole number from 1', () => {
  assert.equal(checkedSeq(1), 1);
  for (const value of [0, -1, 1.5, '1', Number.NaN, 2 ** 53, null, undefined, {}, [1]])
    refused(() => checkedSeq(value), /seq/);
});

describe('operations', () => {
  for (const operation of [
    { kind: 'ack', fence },
    { kind: 'nack', fence: { ...fence, lockedBy: 'w', lockExpiry: 1_700_000_000_123.5, deliveries: 3 } },
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
    test(`accepted: ${operation.kind} with ${Object.keys(operation).length} fields`, () =>
      assert.deepEqual(checkedOperation(operation), operation));

  const bad: [string, unknown, RegExp][] = [
    ['no object', null, /operation must be an object/],
    ['no kind', { fence }, /operation\.kind/],
    ['another kind', { kind: 'drop', fence }, /operation\.kind/],
    ['a kind of the prototype', { kind: 'constructor', fence }, /operation\.kind/],
    ['no fence', { kind: 'ack' }, /operation\.fence is missing/],
    ['a fence without its state', { kind: 'ack', fence: { seq: 7 } }, /fence\.lockedBy is missing/],
    ['a fence with more', { kind: 'ack', fence: { ...fence, force: true } }, /force/],
    ['a fence without end', { kind: 'ack', fence: { ...fence, lockExpiry: Infinity } }, /finite/],
    ["another operation's field", { kind: 'ack', fence, delayMs: 5 }, /delayMs/],
    ['a park without its time', { kind: 'park', fence }, /delayMs is missing/],
    ['a park into the past', { kind: 'park', fence, delayMs: -5 }, /delayMs/],
    ['a park of no time', { kind: 'park', fence, delayMs: 0 }, /delayMs/],
    ['a park of two years', { kind: 'park', fence, delayMs: 2 * 366 * 24 * 3_600_000 }, /delayMs/],
    ['an event that is no text', { kind: 'republish', fence, eventJson: { a: 1 } }, /eventJson/],
    ['a priority of 5', { kind: 'republish', fence, priority: 5 }, /priority/],
    ['a group that is null', { kind: 'republish', fence, groupId: null }, /groupId/],
  ];
  for (const [name, operation, says] of bad) {
    test(`refused: ${name}`, () => refused(() => checkedOperation(operation), says));
  }

  const MEBIBYTE = 1024 * 1024;
  const republish = (eventJson: string) => () => checkedOperation({ kind: 'republish', fence, eventJson });

  test('an edited event may take 1 MiB of UTF-8, and not a byte more', () => {
    // Two bytes each, and two quotes.
    const most = `"${'é'.repeat(MEBIBYTE / 2 - 1)}"`;
    assert.equal(Buffer.byteLength(most), MEBIBYTE);
    assert.doesNotThrow(republish(most));
    refused(
      republish(most.replace('"', '"x')),
      /eventJson takes 1048577 bytes.*1048576: shorten/,
      'EVENT_TOO_LARGE',
    );
  });

  test('an edited event that is not JSON is refused', () => {
    for (const text of ['', 'undefined', '{"a":', "{'a': 1}", '1 2'])
      refused(republish(text), /operation\.eventJson ".*" is not JSON .*: correct it/, 'BAD_EVENT');
  });
});
