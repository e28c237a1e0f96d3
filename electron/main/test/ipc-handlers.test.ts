import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asLeaseholdError, BadArgument } from '../../../core/contract/errors.ts';
import { inspectorHandlers } from '../inspector-handlers.ts';
import { handleCalls } from '../ipc-handlers.ts';
import { adminOver } from './stub-admin.ts';
import { ORIGIN, stubContents } from './stub-contents.ts';

/** `overview` answers the page's calls of that name. */
function answering(overview: (argument: unknown) => unknown) {
  const page = stubContents();
  const handlers = inspectorHandlers(adminOver('{}').admin, { title: 'Jobs', operations: [] });
  const remove = handleCalls(page.contents, ORIGIN, { ...handlers, overview: overview as never });
  return { ...page, remove };
}

test('a call from the page gets the value of its handler', async () => {
  const page = answering(async (n) => (n as number) + 1);
  assert.deepEqual(await page.send('leasehold:overview', page.frame, 1), { ok: true, value: 2 });
});

test('a call from another document, a subframe or a frame that is gone does not reach the handler', async () => {
  const page = answering(() => assert.fail('The handler was called.'));
  const senders = [
    null,
    { ...page.frame, origin: 'https://elsewhere.invalid' },
    { ...page.frame, parent: {} },
    { ...page.frame, routingId: 9 },
  ];
  for (const sender of senders) {
    const answer = (await page.send('leasehold:overview', sender)) as {
      ok: boolean;
      error?: { code: string };
    };
    assert.deepEqual([answer.ok, answer.error?.code], [false, 'NOT_ALLOWED']);
  }
});

test('a LeaseholdError crosses as its code and message, and is not logged', async (t) => {
  const log = t.mock.method(console, 'error', () => undefined);
  const page = answering(() => {
    throw new BadArgument('limit must be smaller.');
  });
  assert.deepEqual(await page.send('leasehold:overview', page.frame), {
    ok: false,
    error: { code: 'BAD_ARGUMENT', message: 'limit must be smaller.' },
  });
  assert.equal(log.mock.callCount(), 0);
});

test('an unexpected error is logged with its stack and cause, and the page gets only code and message', async (t) => {
  const log = t.mock.method(console, 'error', () => undefined);
  const unexpected = new TypeError('x is not a function', { cause: new Error('beneath') });
  // As it comes from a thread, and as it comes from this process.
  for (const error of [asLeaseholdError(unexpected), unexpected]) {
    const page = answering(() => Promise.reject(error));
    const answer = (await page.send('leasehold:overview', page.frame)) as {
      ok: false;
      error: { code: string };
    };
    assert.deepEqual([answer.ok, answer.error.code], [false, 'UNEXPECTED']);
    assert.deepEqual(Object.keys(answer.error), ['code', 'message']);
    assert.equal(log.mock.calls.at(-1)?.arguments.at(-1), error);
  }
  assert.equal(log.mock.callCount(), 2);
});

test('each of the calls has a channel, until the handlers are removed', () => {
  const page = answering(() => undefined);
  assert.deepEqual(page.channels().sort(), [
    'leasehold:groups',
    'leasehold:info',
    'leasehold:message',
    'leasehold:messages',
    'leasehold:operate',
    'leasehold:overview',
    'leasehold:purge',
  ]);
  page.remove();
  assert.deepEqual(page.channels(), []);
});
