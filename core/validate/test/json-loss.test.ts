import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { LeaseholdError } from '../../contract/errors.ts';
import { eventCodec } from '../event-codec.ts';

const codec = eventCodec(1024 * 1024, undefined);

/** What a claim delivers for an event. */
function delivered(event: unknown): unknown {
  const decoded = codec.decode(codec.encode(event));
  assert.ok('event' in decoded);
  return decoded.event;
}

class Point {
  readonly x = 1;
  get y() {
    return 2;
  }
}

const hidden = Object.defineProperty({ seen: 1 }, 'hidden', { value: 2 });
const withToJson = (json: unknown) => ({ toJSON: () => json });
// biome-ignore lint/suspicious/noSparseArray: that is what is tested
const sparse = [1, , 3];
const raises = () => {
  throw new Error('a getter');
};

test('what JSON would change silently is refused, with the way to it and the value', () => {
  const cases: [unknown, RegExp][] = [
    [undefined, /^The event is undefined/],
    [Number.NaN, /^The event is NaN/],
    [{ at: new Date(Number.NaN) }, /has at "at" an invalid Date/],
    [{ at: runInNewContext('new Date(NaN)') }, /has at "at" an invalid Date/],
    [{ a: [{ 'odd key': Number.POSITIVE_INFINITY }] }, /has at "a\[0\]\["odd key"\]" Infinity/],
    [[new Number(Number.NaN)], /has at "\[0\]" NaN/],
    [{ a: { b: Object(Number.NEGATIVE_INFINITY) } }, /has at "a\.b" -Infinity/],
    [sparse, /has at "\[1\]" undefined/],
    [new Array(3), /has at "\[0\]" undefined/],
    [{ list: [undefined] }, /has at "list\[0\]" undefined/],
    [{ [Symbol('s')]: 1 }, /is a property whose key is Symbol\(s\)/],
    [
      { deep: [{ [Symbol.iterator]: 1 }] },
      /has at "deep\[0\]" a property whose key is Symbol\(Symbol.iterator\)/,
    ],
    [{ f: () => 1 }, /has at "f" function f/],
    [{ s: Symbol('s') }, /has at "s" Symbol\(s\)/],
    [{ map: new Map() }, /has at "map" a Map/],
    [new Error('x'), /is a Error/],
    [{ bytes: new Uint8Array(2) }, /has at "bytes" a Uint8Array/],
    [{ n: 1n }, /not JSON .*BigInt/],
    [[withToJson(undefined)], /has at "\[0\]" undefined/],
    [withToJson({ deep: Number.NaN }), /has at "deep" NaN/],
    [
      {
        get bad() {
          return raises();
        },
      },
      /not JSON \(Error: a getter\)/,
    ],
    [{ ['k'.repeat(1_000_000)]: Number.NaN }, /has at "\["k+…\]" NaN/],
  ];
  for (const [event, message] of cases)
    assert.throws(
      () => codec.encode(event),
      (error) =>
        error instanceof LeaseholdError &&
        error.code === 'BAD_EVENT' &&
        message.test(error.message) &&
        error.message.length < 1000,
      String(message),
    );
});

test('what ordinary values have is stored as JSON has it', () => {
  const at = new Date(0);
  const cases: [unknown, unknown][] = [
    [{ n: -0 }, { n: 0 }],
    [{ left: undefined, kept: 1 }, { kept: 1 }],
    [new Point(), { x: 1 }],
    [hidden, { seen: 1 }],
    [
      {
        get own() {
          return 3;
        },
      },
      { own: 3 },
    ],
    [{ at }, { at: at.toISOString() }],
    [withToJson({ a: [1] }), { a: [1] }],
    [
      [new Number(5), new String('s'), new Boolean(false)],
      [5, 's', false],
    ],
    [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['lone \ud800', 'lone \ud800'],
    [new URL('https://example.org/'), 'https://example.org/'],
  ];
  for (const [event, expected] of cases) assert.deepEqual(delivered(event), expected);
});

/** The same in JSON's own terms, by other means: null where JSON would change something that has no name in the docs. */
function expected(value: unknown, inArray = false): { json: unknown } | null {
  if (value === undefined) return inArray ? null : { json: undefined };
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function') return null;
  if (typeof value === 'number') return Number.isFinite(value) ? { json: value + 0 } : null;
  if (typeof value !== 'object' || value === null) return { json: value };
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : { json: value.toISOString() };
  if (value instanceof Number || value instanceof String || value instanceof Boolean)
    return expected(value.valueOf());
  if (Array.isArray(value)) {
    const items = Array.from(value, (item) => expected(item, true));
    return items.includes(null) ? null : { json: items.map((item) => item?.json) };
  }
  if (Object.prototype.toString.call(value) !== '[object Object]') return null;
  const fields = Object.entries(value).map(([key, field]) => [key, expected(field)] as const);
  if (fields.some(([, field]) => field === null)) return null;
  const kept = fields.filter(([, field]) => field?.json !== undefined);
  return { json: Object.fromEntries(kept.map(([key, field]) => [key, field?.json])) };
}

test('every value is either refused or delivered as JSON in its own terms has it', () => {
  const anything = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withSparseArray: true,
    withTypedArray: true,
    withUnicodeString: true,
  });
  fc.assert(
    fc.property(anything, (event) => {
      const wanted = expected(event);
      if (wanted === null || wanted.json === undefined)
        assert.throws(() => codec.encode(event), { code: 'BAD_EVENT' });
      else assert.deepEqual(delivered(event), wanted.json);
    }),
    { seed: 20_261_130, numRuns: 3000 },
  );
});
