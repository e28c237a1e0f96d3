import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bury, Park } from '../index.ts';
import { bothWays, gate, next, record, rounds, withQueue } from './kit.ts';

const plain = { backoff: { initialMs: 1000, factor: 2, maxMs: 3000, jitter: 0 } };

for (const answers of bothWays) {
  test(`a failure waits longer each time, up to the cap, and is buried after the last attempt, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ clock, queue, work }) => {
        queue.publish('g', 1);
        queue.publish('g', 2);
        const seen: string[] = [];
        const worker = work(
          async ({ event }, { attempt, lastAttempt }) => {
            seen.push(`${event}/${attempt}${lastAttempt ? ' last' : ''}`);
            if (event === 1) throw new RangeError(`attempt ${attempt}`);
          },
          { ...plain, maxAttempts: 4 },
        );
        const waits: number[] = [];
        worker.on('failed', ({ retryAt }) => waits.push(retryAt - clock.now()));
        await worker.idle();
        while (clock.nextTimerIn !== null) {
          clock.advance(clock.nextTimerIn);
          await rounds();
        }
        assert.deepEqual(waits, [1000, 2000, 3000]);
        assert.deepEqual(seen, ['1/1', '1/2', '1/3', '1/4 last', '2/1']);
        const [dead] = queue.deadLetters();
        assert.deepEqual([dead?.seq, dead?.attempts], [1, 4]);
        assert.match(dead?.error ?? '', /^RangeError: attempt 4\n {4}at /);
        const { completed, failed, buried } = worker.snapshot().totals;
        assert.deepEqual({ completed, failed, buried }, { completed: 1, failed: 3, buried: 1 });
      },
      answers,
    ));

  test(`a Park, thrown or returned, waits without counting an attempt, transport answering ${answers}`, (t) =>
    withQueue(
      t,
      async ({ clock, queue, work }) => {
        queue.publish('g', 'x');
        const reasons: (string | null)[] = [];
        let run = 0;
        const attempts: number[] = [];
        const worker = work(
          async (_message, { attempt }) => {
            attempts.push(attempt);
            run++;
            if (run === 1) throw new Park({ delayMs: 500, reason: 'offline' });
            if (run === 2) return new Park({ until: clock.now() + 700 });
            return 'any other answer is done';
          },
          { maxAttempts: 1 },
        );
        worker.on('parked', ({ until, reason }) => reasons.push(`${until - clock.now()} ${reason}`));
        await worker.idle();
        assert.equal(clock.nextTimerIn, 501);
        clock.advance(501);
        await rounds();
        assert.equal(clock.nextTimerIn, 701);
        clock.advance(701);
        await rounds();
        assert.deepEqual(reasons, ['500 offline', '700 null']);
        assert.deepEqual(attempts, [1, 1, 1]);
        assert.equal(worker.snapshot().totals.completed, 1);
      },
      answers,
    ));
}

test('a Park without a delay is claimable at once, and its message comes again', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    queue.publish('g', 1);
    let runs = 0;
    const worker = work(() => {
      runs++;
      return runs < 3 ? new Park({ until: clock.now() - 5 }) : null;
    });
    await worker.idle();
    assert.equal(runs, 3);
    assert.equal(worker.snapshot().totals.completed, 1);
  }));

test('a Bury goes to the dead letters at once, however many attempts are left', (t) =>
  withQueue(t, async ({ queue, work }) => {
    queue.publish('g', 1);
    queue.publish('g', 2);
    const worker = work(async ({ event }) => {
      if (event === 1) throw new Bury('the file is gone');
    });
    await worker.idle();
    assert.match(queue.deadLetters()[0]?.error ?? '', /^Bury: the file is gone/);
    assert.equal(worker.snapshot().totals.completed, 1);
  }));

for (const [name, value, kept] of [
  ['undefined', undefined, 'Thrown, and not an Error: undefined'],
  ['a string', 'oh no', 'Thrown, and not an Error: "oh no"'],
  ['null', null, 'Thrown, and not an Error: null'],
  ['a symbol', Symbol('s'), 'Thrown, and not an Error: Symbol(s)'],
] as const)
  test(`a handler that throws ${name} has failed, and the last error says what was thrown`, (t) =>
    withQueue(t, async ({ clock, queue, work }) => {
      queue.publish('g', 1);
      const worker = work(
        () => {
          throw value;
        },
        { ...plain },
      );
      await next(worker, 'failed');
      clock.advance(100);
      await worker.stop();
      clock.advance(1000);
      assert.equal(queue.claim('x', 1000)?.lastError, kept);
    }));

test('an event of a kind without a handler is buried with an error that names both', (t) =>
  withQueue(t, async ({ queue, work }) => {
    queue.publish('g', { kind: 'upload', file: 'a' });
    queue.publish('g', { kind: 'constructor' });
    queue.publish('g', { file: 'b' });
    queue.publish('g', 'no object');
    queue.publish('g', { kind: 'scan' });
    const handled: string[] = [];
    const worker = work({
      handlers: {
        upload: async ({ event }) => void handled.push(event.file),
        scan: async () => void handled.push('scan'),
      },
    });
    await worker.idle();
    assert.deepEqual(handled, ['a', 'scan']);
    assert.deepEqual(
      queue.deadLetters().map(({ error }) => error?.split(':')[1]?.trim()),
      ['No handler for kind "constructor"', 'The event has no field "kind"', 'The event has no field "kind"'],
    );
    assert.match(queue.deadLetters()[0]?.error ?? '', /this worker handles "upload", "scan"/);
  }));

test('the field that names the kind can be another one', (t) =>
  withQueue(t, async ({ queue, work }) => {
    queue.publish('g', { type: 'a' });
    const worker = work({ kindField: 'type', handlers: { a: () => {} } });
    await next(worker, 'completed');
  }));

test('a handler may return a value, a promise or any thenable', (t) =>
  withQueue(t, async ({ queue, work }) => {
    for (let n = 0; n < 3; n++) queue.publish('g', n);
    const worker = work(({ event }) => {
      if (event === 0) return 'at once';
      if (event === 1) return Promise.resolve();
      // biome-ignore lint/suspicious/noThenProperty: it is what this test is about
      return { then: (resolve: () => void) => setImmediate(resolve) };
    });
    const done = record(worker, 'completed');
    await worker.idle();
    assert.equal(done.length, 3);
  }));

test('after timeoutMs the signal fires and the attempt counts as failed, also when the handler then returns', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    queue.publish('g', 1);
    const worker = work(
      (_message, { signal }) =>
        new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
      { ...plain, timeoutMs: 5000 },
    );
    await next(worker, 'started');
    const failed = next(worker, 'failed');
    clock.advance(5000);
    const { error } = await failed;
    assert.equal((error as Error).name, 'TimeoutError');
    assert.match((error as Error).message, /longer than 5000 ms/);
    await worker.stop();
    clock.advance(1001);
    assert.match(queue.claim('x', 1000)?.lastError ?? '', /^TimeoutError: The handler took longer/);
  }));

test('a handler that ignores its signal is given up after the grace, tried again, and its late answer dropped', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    queue.publish('g', 1);
    const first = gate();
    let runs = 0;
    const worker = work(
      async () => {
        runs++;
        if (runs === 1) await first.promise;
      },
      { ...plain, timeoutMs: 5000, abortGraceMs: 300, concurrency: 1 },
    );
    const events = record(worker, 'abandoned', 'failed', 'completed', 'settled-late');
    await next(worker, 'started');
    clock.advance(5000);
    await rounds();
    assert.deepEqual(events, []);
    clock.advance(300);
    await rounds();
    assert.deepEqual(events, ['abandoned g', 'failed g']);
    clock.advance(1001);
    await rounds();
    assert.deepEqual(events, ['abandoned g', 'failed g', 'completed g']);
    first.resolve();
    await rounds();
    assert.deepEqual(events, ['abandoned g', 'failed g', 'completed g', 'settled-late g']);
    assert.equal(queue.claim('x', 1000), null);
  }));

test('a handler that never settles keeps its lease and its slot while other groups go on', (t) =>
  withQueue(t, async ({ clock, queue, other, work }) => {
    queue.publish('stuck', 1);
    const second = other();
    const worker = work(({ groupId }) => (groupId === 'stuck' ? new Promise(() => {}) : undefined), {
      concurrency: 2,
      visibilityMs: 1000,
    });
    await next(worker, 'started');
    for (let n = 0; n < 20; n++) {
      queue.publish('other', n);
      clock.advance(700);
      await rounds();
      assert.equal(second.claim('x', 1000), null);
    }
    assert.equal(worker.snapshot().totals.completed, 20);
    assert.equal(worker.snapshot().running.length, 1);
    assert.deepEqual(await worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 }), { released: 1, abandoned: 1 });
    assert.equal(second.claim('x', 1000)?.attempt, 1, 'given back uncounted');
  }));

test('a handler that blocks the thread past its lease while another process takes the message is dropped, once', (t) =>
  withQueue(t, async ({ clock, queue, other, work }) => {
    queue.publish('g', 1);
    const second = other();
    let taken = 0;
    const worker = work(
      () => {
        // No timer runs meanwhile.
        clock.advance(1001);
        taken = second.claim('other process', 60_000)?.seq ?? 0;
      },
      { visibilityMs: 1000 },
    );
    const events = record(worker, 'lease-lost', 'completed', 'failed');
    await worker.idle();
    assert.equal(taken, 1);
    assert.deepEqual(events, ['lease-lost g']);
    assert.equal(queue.holders()[0]?.workerId, 'other process');
  }));

test('a handler that blocks the thread past its lease is still acked when nobody took the message', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    queue.publish('g', 1);
    const worker = work(() => clock.advance(5000), { visibilityMs: 1000 });
    await worker.idle();
    assert.equal(worker.snapshot().totals.completed, 1);
    assert.equal(queue.claim('x', 1), null);
  }));

test('a message that was handed out more than maxAttempts times without an outcome is buried and not run', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    queue.publish('g', 1);
    for (let n = 0; n < 3; n++) {
      assert.ok(queue.claim('dies each time', 1000));
      clock.advance(1001);
    }
    let runs = 0;
    const worker = work(() => void runs++, { maxAttempts: 3 });
    await worker.idle();
    assert.equal(runs, 0);
    assert.match(queue.deadLetters()[0]?.error ?? '', /Handed out 3 times without an outcome/);
  }));

test('a backoff rule of the caller decides the wait, and one that throws or answers nonsense costs a second', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    queue.publish('g', 1);
    const answers = [
      () => 42,
      () => Number.NaN,
      () => {
        throw new Error('rule');
      },
      () => 0,
    ];
    let told = 0;
    const worker = work(
      (_message, { attempt }) => {
        if (attempt < 5) throw new Error(`${attempt}`);
      },
      {
        backoff: (attempt, error) => {
          assert.equal((error as Error).message, `${attempt}`);
          return answers[attempt - 1]?.() ?? 0;
        },
        logger: { debug() {}, info() {}, warn() {}, error: () => void told++ },
      },
    );
    const waits: number[] = [];
    worker.on('failed', ({ retryAt }) => waits.push(retryAt - clock.now()));
    for (const ms of [0, 43, 1001, 1001]) {
      clock.advance(ms);
      await rounds();
    }
    await worker.idle();
    assert.deepEqual(waits, [42, 1000, 1000, 0]);
    assert.equal(told, 2);
    assert.equal(worker.snapshot().totals.completed, 1);
  }));

test('progress is kept between 0 and 1 with its note, told to listeners, and ignored once the handler is over', (t) =>
  withQueue(t, async ({ queue, work }) => {
    queue.publish('g', 1);
    const end = gate();
    let tell: ((fraction: number, note?: string) => void) | undefined;
    const worker = work(async (_message, { progress }) => {
      tell = progress;
      progress(0.25, 'a quarter');
      progress(7);
      progress(Number.NaN, 'almost');
      await end.promise;
    });
    const told: string[] = [];
    worker.on('progress', ({ fraction, note }) => told.push(`${fraction} ${note}`));
    await next(worker, 'started');
    await rounds(1);
    assert.deepEqual(told, ['0.25 a quarter', '1 a quarter', '1 almost']);
    const [running] = worker.snapshot().running;
    assert.deepEqual([running?.progress, running?.note], [1, 'almost']);
    end.resolve();
    await worker.idle();
    tell?.(0.5);
    assert.equal(told.length, 3);
  }));
