import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WebContents } from 'electron';
import { asLeaseholdError, BadArgument } from '../../../core/contract/errors.ts';
import { handleIpc, type IpcHandler } from '../ipc-handlers.ts';

const ORIGIN = 'https://pages.invalid';

/** The part of WebContents that handleIpc uses. `send` calls a handler as Electron would. */
function stubContents() {
  type Listener = (event: object, ...args: unknown[]) => unknown;
  const listeners = new Map<string, Listener>();
  const frame = { routingId: 1, processId: 2, parent: null, origin: ORIGIN };
  const contents = {
    mainFrame: frame,
    isDestroyed: () => false,
    ipc: {
      handle: (channel: string, listener: Listener) => listeners.set(channel, listener),
      removeHandler: (channel: string) => listeners.delete(channel),
    },
  };
  return {
    contents: contents as unknown as WebContents,
    frame,
    channels: () => [...listeners.keys()],
    send: (channel: string, senderFrame: object | null, ...args: unknown[]) =>
      listeners.get(channel)?.({ sender: contents, senderFrame }, ...args),
  };
}

function answering(handler: IpcHandler) {
  const page = stubContents();
  const remove = handleIpc(page.contents, ORIGIN, { call: handler });
  return { ...page, remove };
}

test('a call from the page gets the value of its handler', async () => {
  const page = answering(async (n) => (n as number) + 1);
  assert.deepEqual(await page.send('call', page.frame, 1), { ok: true, value: 2 });
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
    const answer = (await page.send('call', sender)) as { ok: boolean; error?: { code: string } };
    assert.deepEqual([answer.ok, answer.error?.code], [false, 'NOT_ALLOWED']);
  }
});

test('a LeaseholdError crosses as its code and message, and is not logged', async (t) => {
  const log = t.mock.method(console, 'error', () => undefined);
  const page = answering(() => {
    throw new BadArgument('limit must be smaller.');
  });
  assert.deepEqual(await page.send('call', page.frame), {
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
    const answer = (await page.send('call', page.frame)) as { ok: false; error: { code: string } };
    assert.deepEqual([answer.ok, answer.error.code], [false, 'UNEXPECTED']);
    assert.deepEqual(Object.keys(answer.error), ['code', 'message']);
    assert.equal(log.mock.calls.at(-1)?.arguments.at(-1), error);
  }
  assert.equal(log.mock.callCount(), 2);
});

test('the handlers are removed when asked', () => {
  const page = answering(() => undefined);
  assert.deepEqual(page.channels(), ['call']);
  page.remove();
  assert.deepEqual(page.channels(), []);
});
