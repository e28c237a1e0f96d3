import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Awaitable } from '../transport.ts';
import { forEachDone, inOrder, whenDone } from '../when-done.ts';

test('whenDone continues before it returns when the call returns a value', () => {
  const seen: unknown[] = [];
  const result = whenDone(
    () => 1,
    (value, waited) => {
      seen.push(value, waited);
      return 'ok';
    },
  );
  assert.deepEqual([result, seen], ['ok', [1, false]]);
});

test('whenDone continues with the value of a promise, and reports that it waited', async () => {
  const result = whenDone(
    () => Promise.resolve(1),
    (value, waited) => [value, waited],
  );
  assert.ok(result instanceof Promise);
  assert.deepEqual(await result, [1, true]);
});

for (const [kind, fail] of [
  [
    'that is thrown',
    () => {
      throw new Error('no');
    },
  ],
  ['of a promise that rejects', () => Promise.reject(new Error('no'))],
] as [string, () => Awaitable<never>][]) {
  test(`whenDone passes an error ${kind} to its last argument`, async () => {
    const caught = await whenDone(
      fail,
      () => assert.fail('it has no value'),
      (error) => (error as Error).message,
    );
    assert.equal(caught, 'no');
  });

  test(`whenDone raises an error ${kind} when nothing handles it`, async () => {
    await assert.rejects(
      async () =>
        whenDone(fail, () => {
          assert.fail('it has no value');
        }),
      { message: 'no' },
    );
  });
}

test('whenDone does not pass an error of its continuation to its last argument', async () => {
  const continuation = () => {
    throw new Error('later');
  };
  const fail = () => assert.fail('the call itself did not fail');
  assert.throws(() => whenDone(() => 1, continuation, fail), { message: 'later' });
  await assert.rejects(async () => whenDone(() => Promise.resolve(1), continuation, fail), {
    message: 'later',
  });
});

test('inOrder runs all steps before it returns when none returns a promise', () => {
  const seen: number[] = [];
  assert.equal(inOrder([() => void seen.push(1), () => void seen.push(2)]), undefined);
  assert.deepEqual(seen, [1, 2]);
});

test('inOrder starts no step before the promise of the one before has settled, and ends with the first error', async () => {
  const seen: number[] = [];
  const first = Promise.withResolvers<void>();
  const steps = inOrder([
    () => first.promise,
    () => void seen.push(2),
    () => Promise.reject(new Error('third')),
    () => void seen.push(4),
  ]);
  assert.deepEqual(seen, []);
  first.resolve();
  await assert.rejects(async () => steps, { message: 'third' });
  assert.deepEqual(seen, [2]);
});

test('forEachDone starts all calls at once and raises the first error when every one has settled', async () => {
  const calls = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const started: number[] = [];
  const all = forEachDone([0, 1, 2], (n) => {
    started.push(n);
    return calls[n]?.promise;
  });
  assert.deepEqual(started, [0, 1, 2]);
  let settled = false;
  const outcome = assert
    .rejects(async () => all, { message: 'second' })
    .then(() => {
      settled = true;
    });
  calls[1]?.reject(new Error('second'));
  calls[2]?.reject(new Error('third'));
  await Promise.allSettled([calls[1]?.promise, calls[2]?.promise]);
  assert.equal(settled, false);
  calls[0]?.resolve();
  await outcome;
});

test('forEachDone makes no further call after one has thrown, and still waits for those under way', async () => {
  const pending = Promise.withResolvers<void>();
  const started: number[] = [];
  const all = forEachDone([0, 1, 2], (n) => {
    started.push(n);
    if (n === 1) throw new Error('thrown');
    return pending.promise;
  });
  assert.deepEqual(started, [0, 1]);
  pending.resolve();
  await assert.rejects(async () => all, { message: 'thrown' });
});

test('forEachDone throws at once when a call throws and none is under way', () => {
  assert.throws(
    () =>
      forEachDone([0, 1], () => {
        throw new Error('thrown');
      }),
    { message: 'thrown' },
  );
});
