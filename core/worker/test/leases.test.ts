import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaseholdError, LeaseLost } from '../../contract/errors.ts';
import { bothWays, type Event, gate, gated, next, record, rounds, withQueue } from './kit.ts';

for (const answers of bothWays) {
  test(`leases are renewed at half of their visibility, by one timer for all, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ clock, queue, other, work }) => {
        for (const event of ['a', 'b', 'c']) queue.publish(event, event);
        const { handler, running, open } = gated();
        const worker = work(handler, { concurrency: 3, visibilityMs: 8000 });
        await rounds();
        assert.equal(running.length, 3);
        assert.ok(clock.timers <= 1);
        const second = other();
        for (let round = 0; round < 5; round++) {
          assert.equal(clock.nextTimerIn, 4000);
          clock.advance(4000);
          await rounds();
          assert.equal(second.claim('x', 1000), null);
        }
        for (const event of ['a', 'b', 'c']) open(event);
        await worker.idle();
        assert.equal(worker.snapshot().totals.completed, 3);
        assert.equal(worker.snapshot().totals.leaseLost, 0);
        assert.equal(clock.timers, 0);
      },
      answers,
    ));

  test(`a lost lease fires the signal with LeaseLost, is told once, and the answer is dropped, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ clock, queue, other, work }) => {
        queue.publish('g', 1);
        const end = gate();
        let signal: AbortSignal | undefined;
        const logged: string[] = [];
        const worker = work(
          async (_message, context) => {
            signal = context.signal;
            await end.promise;
          },
          {
            visibilityMs: 2000,
            logger: {
              debug() {},
              info() {},
              error() {},
              warn: (_facts, message) => void logged.push(message),
            },
          },
        );
        const events = record(worker, 'lease-lost', 'completed', 'failed', 'released');
        await next(worker, 'started');
        // An operator takes the lease away, through a connection of its own.
        const second = other();
        const [holder] = second.holders();
        second.release([holder?.workerId ?? '']);
        clock.advance(1000);
        await rounds();
        assert.deepEqual(events, ['lease-lost g']);
        assert.ok(signal?.aborted);
        assert.ok(signal.reason instanceof LeaseLost);
        end.resolve();
        await rounds();
        assert.deepEqual(events, ['lease-lost g']);
        assert.equal(logged.length, 1);
        assert.equal(worker.snapshot().totals.leaseLost, 1);
      },
      answers,
    ));

  test(`after the computer slept, running leases are renewed before anything is claimed, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ clock, queue, other, work }) => {
        queue.publish('g', 'slow');
        const { handler, running, open } = gated();
        const worker = work(handler, { visibilityMs: 10_000, concurrency: 4 });
        const events = record(worker, 'clock-jumped', 'started', 'lease-lost');
        await rounds();
        // Timers and the monotonic clock stand still while the wall clock goes on.
        clock.step(3_600_000);
        queue.publish('h', 'quick');
        await rounds();
        assert.deepEqual(running, ['slow', 'quick'], 'the slow one is not handed out a second time');
        assert.deepEqual(events, ['started g', 'clock-jumped', 'started h']);
        assert.equal(other().claim('x', 1000), null);
        open('slow');
        open('quick');
        await worker.idle();
        assert.equal(worker.snapshot().totals.completed, 2);
      },
      answers,
    ));

  test(`wake() renews first and then looks for work, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ clock, queue, other, work }) => {
        const second = other();
        queue.publish('g', 'slow');
        const { handler, running, open } = gated();
        const worker = work(handler, { visibilityMs: 10_000 });
        await rounds();
        second.publish('h', 'unseen');
        await rounds();
        assert.deepEqual(running, ['slow']);
        clock.step(900);
        worker.wake();
        await rounds();
        assert.deepEqual(running, ['slow', 'unseen']);
        assert.ok((queue.nextExpiry() ?? 0) >= clock.now() + 10_000);
        open('slow');
        open('unseen');
        await worker.idle();
      },
      answers,
    ));

  test(`a handler's own extend holds the message while it blocks the thread, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ clock, queue, other, work }) => {
        queue.publish('g', 1);
        const second = other();
        let stolen: unknown = 'not tried';
        const worker = work(
          async (_message, { extend }) => {
            await extend(60_000);
            clock.step(59_000);
            stolen = second.claim('x', 1000);
          },
          { visibilityMs: 1000 },
        );
        await worker.idle();
        assert.equal(stolen, null);
        assert.equal(worker.snapshot().totals.completed, 1);
      },
      answers,
    ));

  test(`extend after the lease was lost rejects with LeaseLost, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ queue, other, work }) => {
        queue.publish('g', 1);
        const outcome = gate<unknown>();
        const worker = work(async (_message, { attempt, extend }) => {
          if (attempt > 1) return;
          const second = other();
          second.release(second.holders().map(({ workerId }) => workerId));
          await extend().catch(outcome.resolve);
        });
        assert.ok((await outcome.promise) instanceof LeaseLost);
        await rounds();
        assert.equal(worker.snapshot().totals.leaseLost, 1);
      },
      answers,
    ));

  test(`a message of a group whose lost handler still runs waits until that has ended, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ clock, queue, other, work }) => {
        queue.publish('g', 'first');
        queue.publish('g', 'second');
        const { handler, running, started, open } = gated();
        const worker = work(handler, { visibilityMs: 2000, abortGraceMs: 5000 });
        await rounds();
        const second = other();
        second.release(second.holders().map(({ workerId }) => workerId));
        const taken = second.claim('other process', 60_000);
        assert.ok(taken);
        clock.advance(1000);
        await rounds();
        second.ack(taken);
        worker.wake();
        await rounds();
        assert.deepEqual([running, started], [['first'], ['first']]);
        open('first');
        await rounds();
        clock.advance(5001);
        await rounds();
        assert.deepEqual([running, started], [['second'], ['first', 'second']]);
        open('second');
        await worker.idle();
      },
      answers,
    ));
}

test('a queue that cannot be written for a while is tried again, later each time, and nothing is lost', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    for (const event of ['a', 'b', 'c']) queue.publish(event, event);
    let failing = false;
    const moody = new Proxy(queue, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (failing && /^(ack|claim|nack|extend|bury)/.test(String(name)))
            throw new LeaseholdError('BUSY', 'another writer holds the file');
          return value.apply(target, args);
        };
      },
    });
    const { handler, running, open } = gated();
    const worker = work(handler, { concurrency: 2, visibilityMs: 60_000 }, moody);
    const waits: (number | null)[] = [];
    worker.on('transport-error', ({ retryAt }) => waits.push(retryAt && retryAt - clock.now()));
    await rounds();
    failing = true;
    open('a');
    await rounds();
    for (const ms of [100, 200, 400]) {
      clock.advance(ms);
      await rounds();
    }
    assert.deepEqual(waits, [100, 200, 400, 800]);
    failing = false;
    clock.advance(800);
    await rounds();
    assert.deepEqual(running, ['b', 'c']);
    open('b');
    open('c');
    await worker.idle();
    assert.equal(worker.snapshot().totals.completed, 3);
  }));

test('a lease is not claimed from under its own handler while renewing fails', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    queue.publish('g', 'slow');
    let failing = false;
    const moody = new Proxy(queue, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (failing && name === 'extend') throw new LeaseholdError('BUSY', 'another writer holds the file');
          return value.apply(target, args);
        };
      },
    });
    const { handler, running, started, open } = gated();
    const worker = work(handler, { visibilityMs: 1000 }, moody);
    await rounds();
    failing = true;
    for (let n = 0; n < 30; n++) {
      clock.advance(500);
      queue.publish('h', `later ${n}`);
      await rounds();
    }
    assert.deepEqual(started, ['slow']);
    failing = false;
    clock.advance(30_000);
    await rounds();
    assert.deepEqual(running.slice(0, 2), ['slow', 'later 0']);
    open('slow');
    await rounds();
    assert.equal(worker.snapshot().totals.leaseLost, 0);
  }));

test('a worker whose transport is closed stops by itself and says so', (t) =>
  withQueue(t, async ({ queue, work }) => {
    queue.publish('g', 1);
    let signal: AbortSignal | undefined;
    const worker = work((_message, context) => {
      signal = context.signal;
      return new Promise<Event>(() => {});
    });
    const trouble = next(worker, 'transport-error');
    await next(worker, 'started');
    await rounds(1);
    queue.close();
    assert.equal((await trouble).retryAt, null);
    assert.equal(worker.state, 'stopped');
    assert.equal(signal?.aborted, true);
    await worker.stop();
  }));

test('renewing that failed after the computer slept is made up for before anything is claimed', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    queue.publish('g', 'slow');
    let failing = false;
    const moody = new Proxy(queue, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (failing && name === 'extend') throw new LeaseholdError('BUSY', 'another writer holds the file');
          return value.apply(target, args);
        };
      },
    });
    const { handler, running, open } = gated();
    const worker = work(handler, {}, moody);
    await rounds();
    failing = true;
    clock.step(3_600_000);
    queue.publish('h', 'quick');
    await rounds();
    failing = false;
    clock.advance(100);
    await rounds();
    assert.deepEqual(running, ['slow', 'quick']);
    assert.equal(worker.snapshot().totals.leaseLost, 0);
    open('slow');
    open('quick');
    await worker.idle();
  }));

test('renewing takes nothing back from a handler that asked for longer', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    queue.publish('g', 1);
    const end = gate();
    const extended = gate();
    const worker = work(
      async (_message, { extend }) => {
        await extend(600_000);
        extended.resolve();
        await end.promise;
      },
      { visibilityMs: 1000 },
    );
    await extended.promise;
    worker.wake();
    await rounds();
    // A microsecond more: renewed within one reading of the clock, the new lease must still differ from the old.
    assert.equal(queue.nextExpiry(), clock.now() + 600_000.001);
    end.resolve();
    await worker.idle();
  }));

test('a lease lost while a handler overruns its time is told once, and its answer dropped', (t) =>
  withQueue(t, async ({ clock, queue, other, work }) => {
    queue.publish('g', 1);
    const end = gate();
    const worker = work(() => end.promise, { timeoutMs: 1000, abortGraceMs: 60_000, visibilityMs: 4000 });
    const events = record(worker, 'lease-lost', 'failed', 'abandoned', 'transport-error');
    await next(worker, 'started');
    clock.advance(1000);
    await rounds();
    const second = other();
    second.release(second.holders().map(({ workerId }) => workerId));
    assert.ok(second.claim('other process', 60_000));
    clock.advance(1000);
    await rounds();
    assert.deepEqual(events, ['lease-lost g']);
    end.resolve();
    await rounds();
    assert.deepEqual(events, ['lease-lost g']);
  }));

for (const answers of bothWays) {
  test(`a failure whose lease was lost meanwhile is dropped and no trouble, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ queue, other, work }) => {
        queue.publish('g', 1);
        const second = other();
        const worker = work(() => {
          second.release(second.holders().map(({ workerId }) => workerId));
          second.claim('other process', 60_000);
          throw new Error('no');
        });
        const events = record(worker, 'lease-lost', 'failed', 'transport-error');
        await worker.idle();
        assert.deepEqual(events, ['lease-lost g']);
      },
      answers,
    ));

  test(`a handler that ends while its extend is under way is acked under the new lease, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ queue, work }) => {
        queue.publish('g', 1);
        const worker = work((_message, { extend }) => {
          void extend(60_000);
        });
        const events = record(worker, 'lease-lost', 'completed', 'transport-error');
        await worker.idle();
        assert.deepEqual(events, ['completed g']);
      },
      answers,
    ));
}
