import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { it } from 'node:test';
import { rejection, withThread } from './kit.ts';

type Waiting = {
  wait(name: string): Promise<string>;
  started(): string[];
};

/** `wait` ends when its signal fires: with the reason's message. */
const WAITING = `
  const started = [];
  serveThread({
    started: () => started,
    wait: (name, { signal }) => {
      started.push(name);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(name + ': ' + signal.reason.message)));
    },
  });`;

it("the signal of a call fires the method's signal with the same reason, and the call settles as the method does", () =>
  withThread<Waiting>(WAITING, async (thread) => {
    const [one, two] = [new AbortController(), new AbortController()];
    const first = thread.call('wait', 'first', { signal: one.signal });
    const second = thread.call('wait', 'second', { signal: two.signal });
    assert.deepEqual(await thread.call('started'), ['first', 'second']);
    two.abort(new Error('not needed'));
    assert.equal(await second, 'second: not needed');
    one.abort(new Error('nor this'));
    assert.equal(await first, 'first: nor this');
  }));

it('the signal of a call that has fired reaches a method that asks for it only then', () =>
  withThread<{ late(): Promise<string>; isWaiting(): boolean; go(): void }>(
    `let go;
    const going = new Promise((resolve) => { go = resolve; });
    serveThread({
      late: async (_, context) => { await going; return context.signal.reason.message; },
      isWaiting: () => true,
      go: () => go(),
    });`,
    async (thread) => {
      const stop = new AbortController();
      const late = thread.call('late', undefined, { signal: stop.signal });
      assert.ok(await thread.call('isWaiting'));
      stop.abort(new Error('stop'));
      await thread.call('go');
      assert.equal(await late, 'stop');
    },
  ));

it('a call rejects with the reason of its signal when the method throws it', () =>
  withThread<{ wait(): Promise<void>; isWaiting(): boolean }>(
    `serveThread({
      isWaiting: () => true,
      wait: async (_, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        signal.throwIfAborted();
      },
    });`,
    async (thread) => {
      const stop = new AbortController();
      const waiting = rejection(thread.call('wait', undefined, { signal: stop.signal }));
      assert.ok(await thread.call('isWaiting'));
      stop.abort();
      assert.equal((await waiting).name, 'AbortError');
    },
  ));

it('a call whose signal has fired before rejects with the reason, and does not reach the thread', () =>
  withThread<Waiting>(WAITING, async (thread) => {
    const reason = new Error('too late');
    await assert.rejects(thread.call('wait', 'a', { signal: AbortSignal.abort(reason) }), reason);
    assert.deepEqual(await thread.call('started'), []);
  }));

it('a call whose signal fires in the same turn rejects with the reason, and does not reach the thread', () =>
  withThread<Waiting>(WAITING, async (thread) => {
    const stop = new AbortController();
    const reason = new Error('changed my mind');
    const waiting = thread.call('wait', 'a', { signal: stop.signal });
    stop.abort(reason);
    await assert.rejects(waiting, reason);
    assert.deepEqual(await thread.call('started'), []);
  }));

it('a call that has settled does not listen to its signal any more', () =>
  withThread<{ one(): number; fail(): never }>(
    "serveThread({ one: () => 1, fail: () => { throw new Error('no'); } });",
    async (thread) => {
      const { signal } = new AbortController();
      const calls = [thread.call('one', undefined, { signal }), thread.call('fail', undefined, { signal })];
      assert.equal(getEventListeners(signal, 'abort').length, 2);
      await Promise.allSettled(calls);
      assert.equal(getEventListeners(signal, 'abort').length, 0);
    },
  ));

it('the signal of a call has no effect when it fires after the answer', () =>
  withThread<{ one(): number }>('serveThread({ one: () => 1 });', async (thread) => {
    const stop = new AbortController();
    assert.equal(await thread.call('one', undefined, { signal: stop.signal }), 1);
    stop.abort();
    assert.equal(await thread.call('one'), 1);
  }));
