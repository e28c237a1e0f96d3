import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
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

describe('the signal of a call', () => {
  it("fires the method's signal with the same reason, and the call settles as the method does", () =>
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

  it('reaches a method that asks for it only after it fired', () =>
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

  it('rejects the call with the reason when the method throws it', () =>
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

  it('rejects the call with the reason, and the thread does not see the call, when it fired before the call', () =>
    withThread<Waiting>(WAITING, async (thread) => {
      const reason = new Error('too late');
      await assert.rejects(thread.call('wait', 'a', { signal: AbortSignal.abort(reason) }), reason);
      assert.deepEqual(await thread.call('started'), []);
    }));

  it('rejects the call with the reason, and the thread does not see the call, when it fires in the same turn', () =>
    withThread<Waiting>(WAITING, async (thread) => {
      const stop = new AbortController();
      const reason = new Error('changed my mind');
      const waiting = thread.call('wait', 'a', { signal: stop.signal });
      stop.abort(reason);
      await assert.rejects(waiting, reason);
      assert.deepEqual(await thread.call('started'), []);
    }));

  it('is not listened to any more after the call has settled', () =>
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

  it('does nothing when it fires after the answer', () =>
    withThread<{ one(): number }>('serveThread({ one: () => 1 });', async (thread) => {
      const stop = new AbortController();
      assert.equal(await thread.call('one', undefined, { signal: stop.signal }), 1);
      stop.abort();
      assert.equal(await thread.call('one'), 1);
    }));
});
