import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Calls } from '../calls.ts';

/** The type of what the thread below answers. */
type Methods = {
  double(signal: AbortSignal, n: number): number;
  fail(signal: AbortSignal): never;
  wait(signal: AbortSignal): Promise<string>;
  exit(signal: AbortSignal): never;
};

const THREAD = `
  import { parentPort } from 'node:worker_threads';
  import { serveCalls } from ${JSON.stringify(new URL('../calls.ts', import.meta.url).href)};
  serveCalls(parentPort, {
    double: (_signal, n) => 2 * n,
    fail: () => { throw new TypeError('no good'); },
    wait: (signal) => new Promise((resolve) => {
      const end = () => resolve('aborted');
      if (signal.aborted) end();
      else signal.addEventListener('abort', end);
    }),
    exit: () => process.exit(3),
  });
`;

let worker: Worker;
let calls: Calls<Methods>;
beforeEach(() => {
  worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`));
  calls = new Calls(worker);
});
afterEach(() => worker.terminate());

test('each call gets its own answer', async () => {
  const answers = await Promise.all([1, 2, 3].map((n) => calls.call('double', [n])));
  assert.deepEqual(answers, [2, 4, 6]);
});

test('what the thread throws rejects the call, in its words and without a trace', async () => {
  await assert.rejects(calls.call('fail', []), (error: Error) => {
    assert.equal(error.message, 'no good');
    assert.equal(error.stack, 'Error: no good');
    return true;
  });
});

test('a signal crosses, whether it fires during the call or fired before', async () => {
  const stop = new AbortController();
  const waiting = calls.call('wait', [], stop.signal);
  stop.abort();
  assert.equal(await waiting, 'aborted');
  assert.equal(await calls.call('wait', [], AbortSignal.abort()), 'aborted');
});

test('when the thread ends, open calls reject', async () => {
  const waiting = calls.call('wait', []);
  const ending = calls.call('exit', []);
  await assert.rejects(waiting, /thread has ended/);
  await assert.rejects(ending, /thread has ended/);
});

test('a call to a thread that has ended rejects too', async () => {
  await worker.terminate();
  await assert.rejects(calls.call('double', [1]), /thread has ended/);
});
