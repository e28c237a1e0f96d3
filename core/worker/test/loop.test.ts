import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bothWays, gated, next, record, rounds, withQueue } from './kit.ts';

for (const answers of bothWays) {
  test(`every message is handled once and acked, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ queue, work }) => {
        for (let n = 0; n < 60; n++) queue.publish(`g${n % 7}`, n);
        const handled: number[] = [];
        const worker = work(async ({ event }) => void handled.push(event), { concurrency: 3 });
        await worker.idle();
        assert.deepEqual(
          handled.toSorted((a, b) => a - b),
          Array.from({ length: 60 }, (_, n) => n),
        );
        for (let group = 0; group < 7; group++)
          assert.deepEqual(
            handled.filter((n) => n % 7 === group),
            handled.filter((n) => n % 7 === group).toSorted((a, b) => a - b),
          );
        assert.equal(queue.claim('x', 1000), null);
        assert.equal(worker.snapshot().totals.completed, 60);
      },
      answers,
    ));

  test(`groups run side by side and one group's messages never do, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ queue, work }) => {
        for (const event of ['a1', 'a2', 'b1', 'c1', 'd1']) queue.publish(event.charAt(0), event);
        const { handler, running, open } = gated();
        const worker = work(handler, { concurrency: 3 });
        await rounds();
        assert.deepEqual(running, ['a1', 'b1', 'c1']);
        open('b1');
        await rounds();
        assert.deepEqual(running, ['a1', 'c1', 'd1']);
        open('a1');
        await rounds();
        assert.deepEqual(running, ['c1', 'd1', 'a2']);
        for (const event of ['c1', 'd1', 'a2']) open(event);
        await worker.idle();
      },
      answers,
    ));

  test(`a publish in this process wakes a sleeping worker, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ clock, queue, work }) => {
        const worker = work(async () => {});
        await worker.idle();
        assert.equal(clock.timers, 0, 'an idle worker waits for no timer');
        queue.publish('g', 1);
        await next(worker, 'completed');
      },
      answers,
    ));

  test(`a worker sleeps until the earliest park ends, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ clock, queue, work }) => {
        queue.publish('g', 1);
        const lease = queue.claim('x', 1000);
        assert.ok(lease);
        queue.nack(lease, 5000);
        const worker = work(async () => {});
        await worker.idle();
        assert.equal(clock.nextTimerIn, 5001, 'a lock is still held at exactly its expiry');
        assert.equal(clock.timers, 1);
        const done = next(worker, 'completed');
        clock.advance(5001);
        await done;
      },
      answers,
    ));

  test(`a message that another claimer here settles lets its group go on, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ queue, work }) => {
        queue.publish('g', 1);
        queue.publish('g', 2);
        const lease = queue.claim('by hand', 60_000);
        assert.ok(lease);
        const worker = work(async () => {});
        await worker.idle();
        const done = next(worker, 'completed');
        queue.ack(lease);
        assert.equal((await done).seq, 2);
      },
      answers,
    ));

  test(`a park set by another claimer here brings the wake-up forward, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ clock, queue, work }) => {
        queue.publish('g', 1);
        const lease = queue.claim('by hand', 60_000);
        assert.ok(lease);
        const worker = work(async () => {});
        await worker.idle();
        assert.equal(clock.nextTimerIn, 60_001);
        queue.nack(lease, 2000);
        assert.equal(clock.nextTimerIn, 2001);
        const done = next(worker, 'completed');
        clock.advance(2001);
        await done;
      },
      answers,
    ));
}

test('what is done is acked in the transaction that claims the next', (t) =>
  withQueue(t, async ({ queue, work }) => {
    const calls: string[] = [];
    const spied = new Proxy(queue, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (/^(ack|claim)/.test(String(name)))
            calls.push(`${String(name)} ${Array.isArray(args[0]) ? args[0].length : ''}`.trim());
          return value.apply(target, args);
        };
      },
    });
    for (let n = 0; n < 8; n++) queue.publish(`g${n % 2}`, n);
    const worker = work(async () => {}, { concurrency: 2 }, spied);
    await worker.idle();
    assert.deepEqual(calls, ['claimMany', ...Array(4).fill('ackAndClaimMany 2')]);
  }));

test("another process's publish is noticed at the interval, by one pragma and nothing else", (t) =>
  withQueue(t, async ({ clock, other, queue, work }) => {
    const calls: string[] = [];
    const spied = new Proxy(queue, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          calls.push(String(name));
          return value.apply(target, args);
        };
      },
    });
    const second = other();
    const worker = work(async () => {}, { pollMs: 1000 }, spied);
    await worker.idle();
    calls.length = 0;
    clock.advance(3000);
    await rounds();
    assert.deepEqual(calls, ['dataVersion', 'dataVersion', 'dataVersion']);
    second.publish('g', 1);
    const done = next(worker, 'completed');
    clock.advance(1000);
    await done;
  }));

test('with the interval 0 an idle worker has no timer and asks the queue nothing', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    let calls = 0;
    const spied = new Proxy(queue, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          calls++;
          return value.apply(target, args);
        };
      },
    });
    const worker = work(async () => {}, { pollMs: 0 }, spied);
    await worker.idle();
    calls = 0;
    assert.equal(clock.timers, 0);
    clock.advance(3_600_000);
    await rounds();
    assert.equal(calls, 0);
  }));

test('handlers that keep the thread busy give the event loop back between them', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    for (let n = 0; n < 8; n++) queue.publish(`g${n}`, n);
    let inOneRound = 0;
    let most = 0;
    // Each takes two ms of the turn's three.
    const worker = work(
      () => {
        inOneRound++;
        most = Math.max(most, inOneRound);
        clock.advance(2);
      },
      { concurrency: 8 },
    );
    const count = () => {
      inOneRound = 0;
      if (worker.state !== 'stopped') setImmediate(count);
    };
    setImmediate(count);
    await worker.idle();
    await worker.stop();
    assert.equal(worker.snapshot().totals.completed, 8);
    assert.equal(most, 2);
  }));

test('the concurrency can be raised and lowered while handlers run', (t) =>
  withQueue(t, async ({ queue, work }) => {
    for (const event of ['a', 'b', 'c', 'd', 'e']) queue.publish(event, event);
    const { handler, running, open } = gated();
    const worker = work(handler, { concurrency: 1 });
    await rounds();
    assert.deepEqual(running, ['a']);
    worker.concurrency = 3;
    await rounds();
    assert.deepEqual(running, ['a', 'b', 'c']);
    worker.concurrency = 1;
    open('a');
    open('b');
    await rounds();
    assert.deepEqual(running, ['c'], 'the running ones finish, none is added');
    open('c');
    await rounds();
    assert.deepEqual(running, ['d']);
    open('d');
    await rounds();
    open('e');
    await worker.idle();
  }));

test('the floor and the routing keys can change while it runs', (t) =>
  withQueue(t, async ({ queue, work }) => {
    queue.publish('low', 'low');
    queue.publish('high', 'high', { priority: 3 });
    queue.publish('keyed', 'keyed', { priority: 3, routingKey: 'k' });
    const handled: string[] = [];
    const worker = work(({ event }) => void handled.push(event), { minPriority: 2, routingKeys: ['k'] });
    await worker.idle();
    assert.deepEqual(handled, ['keyed']);
    worker.routingKeys = undefined;
    await worker.idle();
    assert.deepEqual(handled, ['keyed', 'high']);
    worker.configure({ minPriority: 0, concurrency: 2 });
    await worker.idle();
    assert.deepEqual(handled, ['keyed', 'high', 'low']);
    assert.deepEqual([worker.minPriority, worker.routingKeys, worker.concurrency], [0, undefined, 2]);
  }));

test('a wrong setting is refused and changes none of the others', (t) =>
  withQueue(t, async ({ work }) => {
    const worker = work(() => {}, { concurrency: 2 });
    assert.throws(
      () => worker.configure({ concurrency: 3, minPriority: 9 }),
      /minPriority must be a whole number/,
    );
    assert.throws(() => worker.configure({ visibilityMs: 5 } as object), /Misspelled option "visibilityMs"/);
    assert.equal(worker.concurrency, 2);
  }));

test('a paused worker claims nothing, finishes what runs, and goes on when every reason is taken back', (t) =>
  withQueue(t, async ({ queue, work }) => {
    const { handler, running, open } = gated();
    queue.publish('a', 'a');
    const worker = work(handler);
    await rounds();
    worker.pause();
    worker.pause('battery');
    queue.publish('b', 'b');
    open('a');
    await worker.idle();
    assert.deepEqual(
      [running, worker.state, worker.snapshot().pausedFor],
      [[], 'paused', ['paused', 'battery']],
    );
    worker.resume();
    await rounds();
    assert.deepEqual([running, worker.state], [[], 'paused']);
    worker.resume('battery');
    await rounds();
    assert.deepEqual([running, worker.state], [['b'], 'running']);
    open('b');
    await worker.idle();
  }));

test('a worker paused before its first turn starts paused', (t) =>
  withQueue(t, async ({ queue, work }) => {
    queue.publish('a', 'a');
    const worker = work(() => {});
    const events = record(worker, 'state', 'completed');
    worker.pause();
    await rounds();
    assert.deepEqual([worker.state, events], ['paused', ['state']]);
    worker.resume();
    await worker.idle();
    assert.equal(worker.snapshot().totals.completed, 1);
  }));

test('what was claimed ahead is given back when handlers turn out slow, and not claimed again', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    for (let n = 0; n < 30; n++) queue.publish(`g${n}`, n);
    const { handler, running, open } = gated();
    const worker = work(
      async (message, context) => {
        if (message.event > 2) await handler(message, context);
      },
      { concurrency: 1 },
    );
    const returned = record(worker, 'released');
    await rounds();
    assert.deepEqual(running, [3]);
    const ahead = worker.snapshot().waiting;
    assert.ok(ahead > 0, 'quick handlers let it claim ahead');
    clock.advance(1000);
    await rounds();
    assert.equal(returned.length, ahead);
    assert.equal(worker.snapshot().waiting, 0);
    clock.advance(5000);
    await rounds();
    assert.equal(returned.length, ahead);
    const lease = queue.claim('x', 1000);
    assert.equal(lease?.attempt, 1, 'given back uncounted');
    open(3);
  }));

test('what was claimed ahead is given back when the floor or the keys change, or the worker pauses', (t) =>
  withQueue(t, async ({ queue, work }) => {
    for (let n = 0; n < 30; n++) queue.publish(`g${n}`, n, { priority: n === 29 ? 3 : 0 });
    const { handler, running, open } = gated();
    const worker = work(
      async (message, context) => {
        if (message.event > 2) await handler(message, context);
      },
      { concurrency: 1 },
    );
    const returned = record(worker, 'released');
    await rounds();
    const ahead = worker.snapshot().waiting;
    assert.ok(ahead > 0);
    worker.minPriority = 3;
    await rounds();
    assert.equal(returned.length, ahead);
    open(3);
    await rounds();
    assert.deepEqual(running, [29], 'only what fits the new floor is started');
    worker.minPriority = 0;
    await rounds();
    const again = worker.snapshot().waiting;
    assert.ok(again > 0);
    worker.pause();
    await rounds();
    assert.equal(worker.snapshot().waiting, 0);
    assert.equal(returned.length, ahead + again);
    open(29);
  }));

test('what a claim brings after the worker was paused or changed meanwhile is given back and not run', (t) =>
  withQueue(
    t,
    async ({ queue, work }) => {
      for (const change of ['pause', 'floor'] as const) {
        const worker = work(() => assert.fail('must not run'));
        const returned = record(worker, 'released');
        await worker.idle();
        queue.publish('g', 1);
        // The claim is under way: it was called in this round and answers in a later one.
        await rounds(1);
        if (change === 'pause') worker.pause();
        else worker.minPriority = 4;
        await rounds();
        assert.deepEqual([change, returned], [change, ['released g']]);
        await worker.stop();
        const lease = queue.claim('x', 1000);
        assert.equal(lease?.attempt, 1);
        if (lease) queue.ack(lease);
      }
    },
    'later',
  ));

test('slots that one claim did not fill are filled by the next', (t) =>
  withQueue(t, async ({ queue, work }) => {
    for (let n = 0; n < 150; n++) queue.publish(`g${n}`, n);
    const { handler, running, started, open } = gated();
    const worker = work(handler, { concurrency: 140 });
    await rounds(40);
    assert.equal(running.length, 140);
    for (let n = 0; n < 150; n++) {
      open(n);
      if (n >= 139) await rounds(2);
    }
    await rounds(4);
    for (const event of [...running]) open(event);
    await worker.idle();
    assert.equal(started.length, 150);
  }));
