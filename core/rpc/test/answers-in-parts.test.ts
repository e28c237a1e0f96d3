/** A service that answers only the first of the calls that have arrived is called again with the others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadClient } from '../thread-client.ts';
import { threadOf } from './kit.ts';

const SERVICE = `
  import { serve } from ${JSON.stringify(new URL('../server.ts', import.meta.url).href)};
  import { answerEach } from ${JSON.stringify(new URL('../service.ts', import.meta.url).href)};
  const asked = [];
  const run = (method, argument, number) => {
    asked.push(number);
    if (method === 'fail') throw new LeaseholdError('BUSY', String(argument));
    return method === 'later' ? Promise.resolve(argument) : argument;
  };
  serve(() => ({
    answer: (calls, first) => answerEach(calls.slice(0, 2), (method, argument, index) =>
      method === 'asked' ? asked : run(method, argument, first + index)),
    close() {},
  }));`;

test('calls that a service answers in parts get their own answers, in their order', {
  timeout: 20_000,
}, async () => {
  const thread = new ThreadClient(threadOf(SERVICE));
  try {
    const calls = ['now', 'fail', 'later', 'now', 'fail'].map((method, n) => thread.call(method, n));
    const settled = await Promise.allSettled(calls);
    assert.deepEqual(
      settled.map((each) => (each.status === 'rejected' ? each.reason.message : each.value)),
      [0, '1', 2, 3, '4'],
    );
    assert.deepEqual(await thread.call('asked'), [0, 1, 2, 3, 4]);
  } finally {
    await thread.close();
  }
});
