import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LeaseholdError, LeaseLost } from '../../index.ts';
import { rejection, withThread } from './kit.ts';

/** What a call rejects with when its method is this source. */
async function thrownBy(method: string): Promise<Error & { code?: unknown }> {
  let error: Error | undefined;
  await withThread(`serveThread({ method: ${method} });`, async (thread) => {
    error = await rejection(thread.call('method'));
  });
  return error as Error;
}

for (const [name, kind] of Object.entries({ synchronous: '', asynchronous: 'async ' })) {
  it(`an error that a method throws keeps its class, message and stack when the method is ${name}`, async () => {
    const error = await thrownBy(`${kind}function readHeader() { throw new TypeError('no header'); }`);
    assert.ok(error instanceof TypeError);
    assert.equal(error.message, 'no header');
    assert.match(error.stack ?? '', /^TypeError: no header\n +at .*readHeader/);
  });
}

it('an error that a method throws keeps its name and code when the language does not define its class', async () => {
  const error = await thrownBy(`() => {
    class HeaderError extends Error { name = 'HeaderError'; code = 'E_HEADER'; }
    throw new HeaderError('no header');
  }`);
  assert.ok(error instanceof Error);
  assert.deepEqual([error.name, error.code, error.message], ['HeaderError', 'E_HEADER', 'no header']);
});

it('an error that a method throws keeps the code of a system error', async () => {
  const error = await thrownBy(`async () => (await import('node:fs')).readFileSync('/no/such/file')`);
  assert.equal(error.code, 'ENOENT');
});

it('an error that a method throws keeps the class and code of a LeaseholdError', async () => {
  const lost = await thrownBy(`() => { throw new LeaseLost('another worker has it'); }`);
  assert.ok(lost instanceof LeaseLost);
  assert.equal(lost.message, 'another worker has it');
  const busy = await thrownBy(`() => { throw new LeaseholdError('BUSY', 'locked'); }`);
  assert.ok(busy instanceof LeaseholdError);
  assert.deepEqual([busy.code, busy.name], ['BUSY', 'LeaseholdError']);
});

it('an error that a method throws keeps the chain of its causes, each with its class and stack', async () => {
  const error = await thrownBy(`function outer() {
    function inner() { return new RangeError('inner'); }
    throw new Error('outer', { cause: new LeaseholdError('CORRUPT', 'middle', { cause: inner() }) });
  }`);
  const middle = error.cause as LeaseholdError;
  assert.ok(middle instanceof LeaseholdError);
  assert.equal(middle.code, 'CORRUPT');
  assert.ok(middle.cause instanceof RangeError);
  assert.match(middle.cause.stack ?? '', /at inner/);
});

it('an error that a method throws reaches the caller when its causes form a circle', async () => {
  const error = await thrownBy(`() => {
    const error = new Error('round');
    error.cause = error;
    throw error;
  }`);
  assert.equal(error.message, 'round');
  assert.equal((error.cause as Error).message, 'round');
});

it('an error that a method throws becomes UNEXPECTED, with the value in its message, when it is not an Error', async () => {
  for (const value of ['"a string"', 'undefined', '{ kind: "object" }', 'Object.create(null)']) {
    const error = await thrownBy(`() => { throw ${value}; }`);
    assert.ok(error instanceof LeaseholdError, value);
    assert.equal(error.code, 'UNEXPECTED', value);
    assert.ok(error.stack, value);
  }
  assert.match((await thrownBy(`() => { throw 'a string'; }`)).message, /'a string'/);
});
