import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asLeaseholdError, describeThrown, isInstance, LeaseholdError } from '../errors.ts';

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

const raise = (): never => {
  throw new Error('a trap');
};

test('the message of an error keeps its begin and its remedy when a value in it is long', () => {
  const { message } = new LeaseholdError('CANNOT_OPEN', `Begin ${'x'.repeat(1_000_000)}. Remedy.`);
  assert.ok(message.length < 4000);
  assert.match(message, /^Begin x+…x+\. Remedy\.$/);
});

test('whatever is thrown becomes a LeaseholdError with a short text', () => {
  const hostile: unknown[] = [
    revoked(),
    new Proxy(new Error('x'), { get: raise, getPrototypeOf: raise }),
    Object.defineProperty(new Error('x'), 'message', { get: raise }),
    Object.assign(new Error('x'), { name: Symbol('n') }),
    new Error('x'.repeat(1_000_000)),
    { [Symbol.toStringTag]: 'x'.repeat(1_000_000) },
    { [Symbol.for('nodejs.util.inspect.custom')]: raise },
    Object.create(null),
    undefined,
    10n ** 2000n,
  ];
  for (const thrown of hostile) {
    assert.ok(describeThrown(thrown).length <= 500);
    const error = asLeaseholdError(thrown);
    assert.deepEqual([error.code, error.cause === thrown], ['UNEXPECTED', true]);
  }
  assert.equal(isInstance(revoked(), Error), false);
});
