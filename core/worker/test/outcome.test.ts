import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { BadArgument } from '../../contract/errors.ts';
import { Bury, describeFailure, Park, type ParkOptions, readDecision } from '../contract/outcome.ts';

test('the text of an error has its name, its message, its cause and its stack', () => {
  const text = describeFailure(new TypeError('outer', { cause: new Error('inner') }), 4000);
  assert.match(text, /^TypeError: outer\nCaused by: Error: inner\n {4}at .*outcome\.test\.ts/);
});

test('the text of an error has the message that the error has now, not the one it was made with', () => {
  const error = new Error('before');
  error.message = 'after';
  assert.match(describeFailure(error, 4000), /^Error: after\n {4}at /);
});

test('the text of an error is cut to its limit, never within a surrogate pair, and has no NUL', () => {
  const text = describeFailure(new Error(`${'x'.repeat(91)}😀 and more`), 100);
  assert.equal(text.length, 100);
  assert.ok(text.isWellFormed());
  assert.ok(!describeFailure(new Error('a\0b'), 100).includes('\0'));
});

test('any thrown value has a text, even one whose properties throw', () => {
  const hostile = new Proxy(new Error('x'), {
    get() {
      throw new Error('trap');
    },
  });
  const circular = new Error('c');
  circular.cause = circular;
  for (const thrown of [hostile, circular, Object.create(null), 10n, () => {}, Number.NaN, { name: 'Error' }])
    assert.equal(typeof describeFailure(thrown, 200), 'string');
});

test('Park refuses a missing, doubled, misspelled or impossible option', () => {
  const invalid: [unknown, RegExp][] = [
    [undefined, /must be an object/],
    [{}, /delayMs or until, one of the two/],
    [{ delayMs: 1, until: 2 }, /one of the two/],
    [{ delay: 1 }, /Misspelled option "delay"/],
    [{ delayMs: -1 }, /delayMs of Park must be a finite number of at least 0, not -1/],
    [{ until: new Date(Number.NaN) }, /until of Park must be/],
    [{ delayMs: 1, reason: 5 }, /reason of Park must be a string, not 5/],
  ];
  for (const [options, message] of invalid)
    assert.throws(
      () => new Park(options as ParkOptions),
      (error: unknown) => error instanceof BadArgument && message.test(error.message),
    );
});

test('Park accepts a Date as its time', () => {
  assert.equal(new Park({ until: new Date(5000) }).until, 5000);
});

/** As the module of a second copy of the package makes them. */
async function secondCopy(): Promise<typeof import('../contract/outcome.ts')> {
  const module = new URL('../contract/outcome.ts', import.meta.url);
  return import(`${module.href}?copy`);
}

test('a Park and a Bury of a second copy of the package are decisions', async () => {
  const copy = await secondCopy();
  const park = new copy.Park({ delayMs: 5, reason: 'offline' });
  const bury = new copy.Bury('broken');
  assert.ok(!(park instanceof Park) && !(bury instanceof Bury));
  assert.deepEqual(readDecision(park), { action: 'park', delayMs: 5, reason: 'offline' });
  assert.deepEqual(readDecision(bury), { action: 'bury', error: bury });
});

test('the fields of a Park are checked when it is read, since they can be changed after it was made', () => {
  const park = Object.assign(new Park({ delayMs: 5 }), { delayMs: Number.NaN });
  assert.throws(() => readDecision(park), BadArgument);
  assert.equal(readDecision({ name: 'Park', delayMs: 5 }), null);
});

test('the text of an error of another realm has its name, message, cause and stack, too', () => {
  const error: unknown = runInNewContext("new TypeError('outer', { cause: new Error('inner') })");
  assert.match(describeFailure(error, 4000), /^TypeError: outer\nCaused by: Error: inner\n {4}at /);
});
