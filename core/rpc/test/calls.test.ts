import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { it } from 'node:test';
import { serveThread, ThreadClient } from '../../index.ts';
import { rejection, threadOf, withThread } from './kit.ts';

it('a call to a thread resolves with what its own method returned, whatever the methods and the order in which they finish', () =>
  withThread<{
    double(n: number): number;
    last(): Promise<string>;
    release(): void;
  }>(
    `let release;
    const released = new Promise((resolve) => { release = resolve; });
    serveThread({
      double: (n) => 2 * n,
      last: () => released.then(() => 'last'),
      release: () => release(),
    });`,
    async (thread) => {
      const settled: unknown[] = [];
      const note = (value: unknown) => settled.push(value);
      const calls = [
        thread.call('double', 1).then(note),
        thread.call('last').then(note),
        thread.call('double', 2).then(note),
      ];
      await Promise.all([calls[0], calls[2]]);
      await Promise.all([thread.call('double', 3).then(note), thread.call('release'), calls[1]]);
      assert.deepEqual(settled, [2, 4, 6, 'last']);
    },
  ));

it('calls start in the thread in the order in which they were made', () =>
  withThread<{ add(n: number): void; all(): number[] }>(
    `const order = [];
    serveThread({ add: async (n) => { order.push(n); await null; }, all: () => order });`,
    async (thread) => {
      const numbers = Array.from({ length: 2500 }, (_, n) => n);
      for (const n of numbers) void thread.call('add', n);
      await null;
      void thread.call('add', 2500);
      assert.deepEqual(await thread.call('all'), [...numbers, 2500]);
    },
  ));

it('a call to a thread has the argument and the result of its method as types, and needs no argument where the method takes none', () =>
  withThread<{
    length(text: string): number;
    later(context?: undefined): Promise<string[]>;
    optional(n?: number): number;
  }>(
    "serveThread({ length: (text) => text.length, later: async () => ['later'], optional: (n = 7) => n });",
    async (thread) => {
      const length: number = await thread.call('length', 'four');
      const later: string[] = await thread.call('later');
      assert.deepEqual([length, later], [4, ['later']]);
      assert.equal(await thread.call('optional'), 7);
      const refusedByTheCompiler = () => [
        // @ts-expect-error: there is no such method
        thread.call('lenght', 'four'),
        // @ts-expect-error: the argument is a string
        thread.call('length', 4),
        // @ts-expect-error: the argument is missing
        thread.call('length'),
        // @ts-expect-error: the method takes no argument
        thread.call('later', 1),
      ];
      assert.equal(typeof refusedByTheCompiler, 'function');
    },
  ));

it('a method of a thread calls other methods of its table through this', () =>
  withThread<{ quadruple(n: number): number }>(
    'serveThread({ double: (n) => 2 * n, quadruple(n) { return this.double(this.double(n)); } });',
    async (thread) => assert.equal(await thread.call('quadruple', 3), 12),
  ));

it('a call to a thread rejects with BAD_ARGUMENT and the names of the methods when the thread has no such method', () =>
  withThread('serveThread({ read: () => 1, write: () => 2 });', async (thread) => {
    for (const name of ['raed', 'constructor', '__proto__'])
      await assert.rejects(thread.call(name), {
        code: 'BAD_ARGUMENT',
        message: `The thread has no method "${name}"; it has: read, write.`,
      });
  }));

it('a call to a thread rejects alone when its argument cannot be cloned', () =>
  withThread('serveThread({ echo: (value) => value });', async (thread) => {
    const outcomes = await Promise.allSettled([
      thread.call('echo', 1),
      thread.call('echo', () => 2),
      thread.call('echo', 3),
    ]);
    assert.deepEqual(
      [outcomes[0], outcomes[2]],
      [
        { status: 'fulfilled', value: 1 },
        { status: 'fulfilled', value: 3 },
      ],
    );
    const [, refused] = outcomes;
    assert.equal(refused.status, 'rejected');
    assert.equal(refused.reason.code, 'BAD_ARGUMENT');
    assert.match(
      refused.reason.message,
      /An argument of echo cannot be sent to the thread: .*could not be cloned/,
    );
  }));

it('a call to a thread rejects alone when what its method returned or threw raises at every look', () =>
  withThread(
    `const raise = () => { throw undefined; };
    const traps = Object.fromEntries(Object.getOwnPropertyNames(Reflect).map((name) => [name, raise]));
    const trapped = () => new Proxy({}, traps);
    const then = (then) => Object.defineProperty(Promise.resolve(1), 'then', { value: then });
    serveThread({
      proxy: trapped,
      getter: () => ({ get field() { return raise(); } }),
      throws: () => { throw trapped(); },
      rejects: async () => { throw Object.defineProperty(new Error('x'), 'stack', { get: raise }); },
      later: async () => trapped(),
      raises: () => then(raise),
      silent: () => then(() => undefined),
      echo: (value) => value,
    });`,
    async (thread) => {
      const names = ['proxy', 'getter', 'throws', 'rejects', 'later', 'raises', 'silent'];
      const results = await Promise.all(names.map((name) => rejectionOrValue(thread.call(name))));
      const codes = results.map((result) => (result as { code?: unknown }).code ?? result);
      const UNEXPECTED = 'UNEXPECTED';
      assert.deepEqual(codes, [UNEXPECTED, 'BAD_ARGUMENT', UNEXPECTED, UNEXPECTED, UNEXPECTED, 1, 1]);
      const raising = Object.defineProperty({}, 'field', { get: () => assert.fail(), enumerable: true });
      assert.equal(
        ((await rejectionOrValue(thread.call('echo', raising))) as { code?: unknown }).code,
        'BAD_ARGUMENT',
      );
      assert.equal(await thread.call('echo', 5), 5);
    },
  ));

it('a call to a thread rejects alone when what its method returned cannot be cloned', () =>
  withThread(
    `serveThread({
      echo: (value) => value,
      sync: () => () => 1,
      async: async () => () => 1,
      fail: () => { throw new RangeError('too far'); },
      later: async () => 'later',
    });`,
    async (thread) => {
      const calls = ['sync', 'async', 'fail', 'later'].map((name) => rejectionOrValue(thread.call(name)));
      const [sync, async, fail, later] = await Promise.all(calls);
      for (const error of [sync, async]) {
        assert.equal((error as { code?: unknown }).code, 'BAD_ARGUMENT');
        assert.match(String(error), /result cannot be sent to the caller's thread: .*could not be cloned/);
      }
      assert.ok(fail instanceof RangeError);
      assert.equal(later, 'later');
      assert.equal(await thread.call('echo', 5), 5);
    },
  ));

/** Nested so deeply that the receiving thread cannot read the copy, while the sending one can make it. */
function nest(depth: number): object {
  let value = {};
  for (let n = 0; n < depth; n++) value = { value };
  return value;
}

it('a call to a thread rejects with THREAD_FAILED when the answer cannot be read, and the thread ends', async () => {
  const thread = new ThreadClient(threadOf(`serveThread({ nested: ${nest}, one: () => 1 });`));
  const error = await rejection(thread.call('nested', 6_000));
  assert.equal(error.code, 'THREAD_FAILED');
  assert.match(error.message, /an answer could not be read/);
  await assert.rejects(thread.call('one'), { code: 'CLOSED' });
  await thread.close();
});

it('a call to a thread rejects with THREAD_FAILED when the thread cannot read its argument', async () => {
  const resourceLimits = { stackSizeMb: 0.5 };
  const thread = new ThreadClient(threadOf('serveThread({ take: () => 1 });'), { resourceLimits });
  assert.equal((await rejection(thread.call('take', nest(3_000)))).code, 'THREAD_FAILED');
  await thread.close();
});

const rejectionOrValue = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

it('a thread that exits by itself rejects the open calls with THREAD_FAILED and later calls with CLOSED', async () => {
  const thread = new ThreadClient(
    threadOf('serveThread({ wait: () => new Promise(() => {}), exit: () => process.exit(3) });'),
  );
  const open = [thread.call('wait'), thread.call('exit')];
  for (const call of open)
    await assert.rejects(call, { code: 'THREAD_FAILED', message: /exited with code 3/ });
  const error = await rejection(thread.call('wait'));
  assert.equal(error.code, 'CLOSED');
  assert.equal((error.cause as { code?: unknown }).code, 'THREAD_FAILED');
  await thread.close();
});

it('an error that a thread does not catch rejects the open calls, as the cause of their error', async () => {
  const thread = new ThreadClient(threadOf("throw new TypeError('no such folder');"));
  const error = await rejection(thread.call('any'));
  assert.equal(error.code, 'THREAD_FAILED');
  assert.match(error.message, /no such folder/);
  assert.ok(error.cause instanceof TypeError);
  await thread.close();
});

it('close ends a thread when its open calls are answered and onClose has settled', async () => {
  const ended: string[] = [];
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const thread = new ThreadClient<{ slow(): Promise<string> }>(
    threadOf(`
      import { workerData } from 'node:worker_threads';
      serveThread(
        { slow: () => new Promise((resolve) => setImmediate(resolve, 'slow')) },
        () => new Promise((resolve) => setImmediate(() => { workerData[0] = 1; resolve(); })),
      );`),
    { workerData: shared },
  );
  const slow = thread.call('slow').then((value) => ended.push(value));
  const closed = thread.close().then(() => ended.push('closed'));
  await assert.rejects(thread.call('slow'), { code: 'CLOSED', message: /This ThreadClient is closed/ });
  await Promise.all([slow, closed, thread.close()]);
  assert.deepEqual(ended, ['slow', 'closed']);
  assert.equal(shared[0], 1);
});

it('close of a ThreadClient resolves even if its thread left a timer running', async () => {
  const thread = new ThreadClient(threadOf('setInterval(() => {}, 1_000); serveThread({ one: () => 1 });'));
  const last = thread.call('one');
  await thread.close();
  assert.equal(await last, 1);
});

it('close of a ThreadClient rejects with THREAD_FAILED when onClose of its thread throws, with the error as the cause', async () => {
  const thread = new ThreadClient(
    threadOf("serveThread({ one: () => 1 }, () => { throw new TypeError('cannot save'); });"),
  );
  assert.equal(await thread.call('one'), 1);
  const error = await rejection(thread.close());
  assert.equal(error.code, 'THREAD_FAILED');
  assert.ok(error.cause instanceof TypeError);
  assert.equal(await rejection(thread.close()), error);
});

it('terminate ends a thread at once, even in the middle of a call that blocks it', async () => {
  const thread = new ThreadClient(threadOf('serveThread({ block: () => { for (;;); } });'));
  const blocked = rejection(thread.call('block'));
  await thread.terminate();
  assert.equal((await blocked).code, 'CLOSED');
  await assert.rejects(thread.call('block'), { code: 'CLOSED' });
  await thread.close();
});

it('a process without an open call exits without waiting for its threads', () => {
  const program = `
    import { ThreadClient } from ${JSON.stringify(new URL('../../index.ts', import.meta.url).href)};
    const thread = new ThreadClient(new URL(${JSON.stringify(threadOf('serveThread({ one: () => 1 });').href)}));
    console.log(await thread.call('one'));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(printed, '1\n');
});

it('serveThread raises BAD_ARGUMENT outside of a worker thread', () => {
  assert.throws(() => serveThread({}), {
    code: 'BAD_ARGUMENT',
    message: /only in a thread that a ThreadClient has started/,
  });
});
