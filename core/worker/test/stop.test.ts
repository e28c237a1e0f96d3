import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Park, runWorker } from '../index.ts';
import { bothWays, gate, gated, next, record, rounds, withQueue } from './kit.ts';

for (const answers of bothWays) {
  test(`stop waits for running handlers, acks them, and claims no more, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ clock, queue, work }) => {
        for (const event of ['a', 'b', 'c']) queue.publish(event, event);
        const { handler, started, open } = gated();
        const worker = work(handler, { concurrency: 2 });
        await rounds();
        const stopping = worker.stop({ stopTimeoutMs: 10_000 });
        assert.equal(worker.state, 'stopping');
        open('a');
        await rounds();
        clock.advance(9000);
        open('b');
        assert.deepEqual(await stopping, { released: 0, abandoned: 0 });
        assert.equal(worker.state, 'stopped');
        assert.deepEqual(started, ['a', 'b']);
        assert.equal(queue.claim('x', 1000)?.event, 'c');
      },
      answers,
    ));

  test(`what did not finish in the grace is aborted and given back uncounted, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ clock, queue, work }) => {
        queue.publish('polite', 1);
        queue.publish('deaf', 2);
        const worker = work(
          ({ groupId }, { signal }) =>
            new Promise<void>((_resolve, reject) => {
              if (groupId === 'polite') signal.addEventListener('abort', () => reject(signal.reason));
            }),
          { stopTimeoutMs: 3000, abortGraceMs: 500 },
        );
        const events = record(worker, 'failed', 'released', 'abandoned');
        await rounds();
        const stopping = worker.stop();
        clock.advance(2999);
        await rounds();
        assert.deepEqual(events, []);
        clock.advance(1);
        await rounds();
        assert.deepEqual(events, ['released polite']);
        clock.advance(500);
        assert.deepEqual(await stopping, { released: 2, abandoned: 1 });
        assert.deepEqual(events, ['released polite', 'abandoned deaf', 'released deaf']);
        for (let n = 0; n < 2; n++) assert.equal(queue.claim('x', 1000)?.attempt, 1);
      },
      answers,
    ));

  test(`a handler that returns after stop's signal is not taken as done, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ queue, work }) => {
        queue.publish('g', 1);
        const worker = work(
          (_message, { signal }) =>
            new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
        );
        await rounds();
        assert.deepEqual(await worker.stop({ stopTimeoutMs: 0 }), { released: 1, abandoned: 0 });
        assert.equal(queue.claim('x', 1000)?.attempt, 1);
      },
      answers,
    ));

  test(`stop while it starts lets nothing start, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ queue, work }) => {
        queue.publish('g', 1);
        for (const wait of [0, 1, 2]) {
          const worker = work(() => assert.fail('must not run'));
          const events = record(worker, 'started');
          if (answers === 'later' || wait === 0) await rounds(wait);
          await worker.stop();
          await rounds();
          assert.deepEqual([worker.state, events], ['stopped', []]);
        }
      },
      answers,
    ));
}

test('with a synchronous transport and both times 0 everything is given back when stop returns', (t) =>
  withQueue(t, async ({ queue, other, work }) => {
    for (let n = 0; n < 6; n++) queue.publish(`g${n}`, n);
    const { handler } = gated();
    const worker = work(handler, { concurrency: 5 });
    await rounds();
    void worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 });
    assert.equal(worker.state, 'stopped');
    assert.equal(other().claimMany('x', 1000, 10).length, 6);
  }));

test('stop is idempotent, and a further call can only shorten the wait', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    queue.publish('g', 1);
    const worker = work(() => new Promise(() => {}));
    await rounds();
    const first = worker.stop({ stopTimeoutMs: 10_000, abortGraceMs: 1000 });
    assert.equal(worker.stop({ stopTimeoutMs: 60_000 }), first);
    clock.advance(2000);
    assert.equal(worker.state, 'stopping');
    void worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 });
    assert.deepEqual(await first, { released: 1, abandoned: 1 });
    assert.equal(await worker.stop(), await first);
  }));

test('a handler may stop its own worker', (t) =>
  withQueue(t, async ({ queue, work }) => {
    queue.publish('a', 1);
    queue.publish('b', 2);
    const stopped = gate<unknown>();
    const worker = work(
      () => {
        void worker.stop().then(stopped.resolve);
      },
      { concurrency: 1 },
    );
    await stopped.promise;
    assert.equal(worker.snapshot().totals.completed, 1);
    assert.equal(queue.claim('x', 1000)?.attempt, 1);
  }));

test("a Park answered to stop's signal is kept", (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    queue.publish('g', 1);
    const worker = work(
      (_message, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(new Park({ delayMs: 4000 })));
        }),
    );
    await rounds();
    await worker.stop({ stopTimeoutMs: 0 });
    assert.equal(queue.nextExpiry(), clock.now() + 4000);
  }));

test('stop ends also when nothing can be given back any more', (t) =>
  withQueue(t, async ({ queue, work }) => {
    queue.publish('g', 1);
    const broken = new Proxy(queue, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (name === 'nack') throw new Error('disk on fire');
          return value.apply(target, args);
        };
      },
    });
    const worker = work(() => new Promise(() => {}), {}, broken);
    await rounds();
    const trouble = next(worker, 'transport-error');
    await worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 });
    assert.equal((await trouble).retryAt, null);
  }));

test('idle() of a stopped worker resolves, also when it was asked before', (t) =>
  withQueue(t, async ({ queue, work }) => {
    queue.publish('g', 1);
    const worker = work(() => new Promise(() => {}));
    const idle = worker.idle();
    await rounds();
    await worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 });
    await idle;
    await worker.idle();
  }));

test('a wrong option of stop is refused', (t) =>
  withQueue(t, async ({ work }) => {
    const worker = work(() => {});
    assert.throws(() => worker.stop({ stopTimeoutms: 1 } as object), /did you mean "stopTimeoutMs"/);
    assert.throws(
      () => worker.stop({ stopTimeoutMs: -1 }),
      /stopTimeoutMs must be a finite number of at least 0/,
    );
  }));

test('a worker that uses no fake clock needs none', (t) =>
  withQueue(t, async ({ queue }) => {
    queue.publish('g', 1);
    const worker = runWorker(queue, () => {});
    await worker.idle();
    await worker.stop();
    assert.equal(worker.snapshot().totals.completed, 1);
  }));

test('a further stop lengthens neither wait, and shortens the second one also when it has begun', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    queue.publish('g', 1);
    const worker = work(() => new Promise(() => {}));
    await rounds();
    const stopping = worker.stop({ stopTimeoutMs: 1000, abortGraceMs: 500 });
    void worker.stop({ stopTimeoutMs: 2000, abortGraceMs: 9000 });
    clock.advance(1000);
    assert.equal(worker.snapshot().running[0]?.aborted, true);
    void worker.stop({ stopTimeoutMs: 2000, abortGraceMs: 100 });
    clock.advance(100);
    assert.deepEqual(await stopping, { released: 1, abandoned: 1 });
  }));
