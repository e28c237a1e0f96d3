import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BadArgument } from '../../contract/errors.ts';
import { checkDuration, checkText, checkWhole, readFields, readItems, show } from '../checks.ts';

interface Options {
  readonly count?: number;
  readonly name?: string;
}

const read = (value: unknown) =>
  readFields<Options>('options', value, {
    count: (what, count) => checkWhole(what, count, 0, 9),
    name: checkText,
  });

const raise = (): never => {
  throw new TypeError('a getter');
};

const refused = (message: RegExp) => (error: unknown) =>
  error instanceof BadArgument && message.test(error.message) && error.message.length < 1000;

test('each field is read once, and what was checked is what is used', () => {
  let reads = 0;
  const options = {
    get count() {
      return reads++ === 0 ? 5 : Number.NaN;
    },
  };
  assert.deepEqual([read(options), reads], [{ count: 5 }, 1]);
});

test('a field that raises when it is read, and an object that raises at every look, are BAD_ARGUMENT', () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const raising = Object.defineProperty({}, 'count', { get: raise, enumerable: true });
  assert.throws(() => read(raising), refused(/^options cannot be read \(TypeError: a getter\)\./));
  assert.throws(() => read(proxy), refused(/^options cannot be read/));
  assert.throws(() => read(new Proxy({}, { ownKeys: raise })), refused(/^options cannot be read/));
});

test('inherited fields count, undefined ones are left out, and an error about a long name is short', () => {
  assert.deepEqual(read(Object.create({ count: 1, name: undefined })), { count: 1 });
  assert.throws(() => read({ [`x${'y'.repeat(1_000_000)}`]: 1 }), refused(/^Misspelled option "xy+/));
});

test('a list is read by index, up to a million items', () => {
  const itself = (item: unknown) => item;
  function* forever() {
    for (;;) yield 'x';
  }
  assert.deepEqual(readItems('list', Object.assign(['a'], { [Symbol.iterator]: forever }), itself), ['a']);
  const longer = new Proxy([], { get: (_list, name) => (name === 'length' ? 2 ** 40 : 'x') });
  assert.throws(() => readItems('list', longer, itself), refused(/^list has 1099511627776 items/));
  assert.throws(
    () => readItems('list', new Proxy([], { get: raise }), itself),
    refused(/^list cannot be read/),
  );
});

test('a time that ends up in the file is at most a hundred years', () => {
  checkDuration('delayMs', 100 * 365.25 * 86_400_000, 0);
  for (const value of [1e300, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY, -1])
    assert.throws(() => checkDuration('delayMs', value, 0), BadArgument);
});

test('show tells any value in at most 80 characters', () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const values = [
    'x'.repeat(1_000_000),
    proxy,
    Symbol('s'),
    10n ** 1000n,
    Object.defineProperty(() => 1, 'name', { value: 'x'.repeat(200) }),
  ];
  for (const value of values) assert.ok(show(value).length <= 80);
});
