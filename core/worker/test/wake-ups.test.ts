/** Wake-ups that were once missed: each of these left a message, a timeout or a stop waiting for something unrelated. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transport } from '../../contract/transport.ts';
import { Park } from '../index.ts';
import { type Event, rounds, withQueue } from './kit.ts';

/** The queue with promises; while `held` is set, acks and nacks wait for it. */
function holding(queue: Transport<Event>): { transport: Transport<Event>; hold(): () => void } {
  let held: PromiseWithResolvers<void> | null = null;
  const transport = new Proxy(queue, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name === 'on' || name === 'off') return value.bind(target);
      return async (...args: unknown[]) => {
        await rounds(1);
        if (name === 'ackAndClaimMany' || name === 'nack') await held?.promise;
        return value.apply(target, args);
      };
    },
  });
  return {
    transport,
    hold() {
      const holding = Promise.withResolvers<void>();
      held = holding;
      return () => {
        held = null;
        holding.resolve();
      };
    },
  };
}

test('a stop whose grace ends while a transport is at work still gives the deaf handler up', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    queue.publishMany([
      { groupId: 'deaf', event: 'deaf' },
      { groupId: 'quick', event: 'quick' },
    ]);
    const quick = Promise.withResolvers<void>();
    const { transport, hold } = holding(queue);
    const worker = work(
      async ({ event }) => (event === 'deaf' ? new Promise(() => {}) : quick.promise),
      { concurrency: 2, visibilityMs: 10_000, releaseDeadWorkers: false },
      transport,
    );
    await rounds();
    const stopped = worker.stop({ stopTimeoutMs: 1000, abortGraceMs: 1000 });
    await rounds();
    clock.advance(1000);
    await rounds();
    clock.advance(999);
    const release = hold();
    quick.resolve();
    await rounds();
    clock.advance(1);
    await rounds();
    release();
    await rounds();
    assert.equal((await stopped).abandoned, 1);
  }));

test('a timeout that falls due while a transport is at work is kept', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    queue.publishMany([
      { groupId: 'slow', event: 'slow' },
      { groupId: 'quick', event: 'quick' },
    ]);
    const quick = Promise.withResolvers<void>();
    const { transport, hold } = holding(queue);
    let aborted = false;
    work(
      async ({ event }, { signal }) => {
        if (event !== 'slow') return quick.promise;
        signal.addEventListener('abort', () => {
          aborted = true;
        });
        return new Promise(() => {});
      },
      { concurrency: 2, visibilityMs: 10_000, timeoutMs: 4000, releaseDeadWorkers: false },
      transport,
    );
    await rounds();
    clock.advance(3999);
    const release = hold();
    quick.resolve();
    await rounds();
    clock.advance(1);
    await rounds();
    release();
    await rounds();
    assert.equal(aborted, true);
  }));

for (const how of ['is renewed', 'parks'] as const)
  test(`a message that was released through the same transport is claimed again once its lease ${how}`, (t) =>
    withQueue(t, async ({ clock, queue, work }) => {
      queue.publish('g', 1);
      const first = Promise.withResolvers<unknown>();
      let runs = 0;
      const worker = work(async () => (++runs === 1 ? first.promise : undefined), {
        visibilityMs: 10_000,
        abortGraceMs: 1000,
        releaseDeadWorkers: false,
      });
      await rounds();
      queue.release([worker.id]);
      await rounds();
      if (how === 'parks') first.resolve(new Park({ delayMs: 10 }));
      else {
        clock.advance(5000);
        await rounds();
        first.resolve(undefined);
        await rounds();
        // While the handler that lost it still ran, the worker had put the group off.
        clock.advance(1001);
      }
      await rounds();
      assert.equal(runs, 2);
      assert.deepEqual(queue.holders(), []);
    }));

test('handlers are called however long each answer of the transport takes', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    const slow = new Proxy(queue, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        if (name === 'on' || name === 'off') return value.bind(target);
        return async (...args: unknown[]) => {
          await rounds(1);
          clock.advance(5);
          // There is always something to look for.
          if (String(name).includes('laim')) queue.publish('g', 'more');
          return value.apply(target, args);
        };
      },
    });
    queue.publish('g', 'first');
    let started = 0;
    const worker = work(
      async () => void started++,
      { releaseDeadWorkers: false, visibilityMs: 60_000 },
      slow,
    );
    await rounds(60);
    assert.ok(started > 0);
    worker.pause();
    await rounds();
  }));
