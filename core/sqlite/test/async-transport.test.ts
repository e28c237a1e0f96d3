import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { type AsyncSqliteTransport, Closed, LeaseholdError, LeaseLost } from '../../index.ts';
import { outcomesOf, withAsync } from './support/async-bench.ts';
import { execute, rows } from './support/file-check.ts';
import { hashOf } from './support/hash.ts';

const closedEvent = (queue: AsyncSqliteTransport) =>
  new Promise<Error | null>((resolve) => queue.on('closed', ({ error }) => resolve(error)));

test(
  'the constructor of the asynchronous transport raises BAD_ARGUMENT for a bad option',
  withAsync(async ({ open }) => {
    const bad = [
      { durability: 'ful' },
      { path: '' },
      { path: 7 },
      { database: {} },
      { clock: {} },
      { readOnly: true },
      { schema: null },
      { threadFile: 5 },
      { threadFile: '' },
      { threadFile: 'https://example.invalid/x.js' },
      { threadFile: new URL('data:,') },
    ];
    for (const options of bad) {
      const [name] = Object.keys(options);
      assert.throws(() => open(options as object), {
        code: 'BAD_ARGUMENT',
        message: new RegExp(name as string),
      });
    }
  }),
);

test(
  'threadFile names the file of the thread, as a path or as a file URL',
  withAsync(async ({ open, folder }) => {
    const file = new URL('../async/transport.thread.ts', import.meta.url);
    for (const [n, threadFile] of [file, file.href, fileURLToPath(file)].entries()) {
      const queue = open({ threadFile, path: folder.file(`${n}.db`) });
      assert.equal(await queue.publish('g', 1), 1);
    }
  }),
);

test(
  'every call of an asynchronous transport rejects with the reason when its file cannot be opened, which stays as it is',
  withAsync(async ({ open, folder }) => {
    mkdirSync(folder.file('folder'));
    writeFileSync(folder.file('text'), 'not a queue at all '.repeat(100));
    const before = hashOf(folder.file('text'));
    const cases = { folder: 'NOT_A_QUEUE', text: 'NOT_A_QUEUE', 'no/such/queue.db': 'CANNOT_OPEN' };
    for (const [name, code] of Object.entries(cases)) {
      const queue = open({ path: folder.file(name) });
      const closed = closedEvent(queue);
      await assert.rejects(queue.publish('g', 1), { code }, name);
      await assert.rejects(queue.holders(), { code }, name);
      assert.equal(((await closed) as LeaseholdError).code, code, name);
      await queue.close();
    }
    assert.equal(hashOf(folder.file('text')), before);
  }),
);

test(
  'errors of the asynchronous transport are instances of the classes that the synchronous one raises',
  withAsync(async ({ open }) => {
    const queue = open();
    await queue.publish('g', 1);
    const lease = await queue.claim('w', 30_000);
    assert.ok(lease);
    await queue.ack(lease);
    await assert.rejects(queue.ack(lease), LeaseLost);
    await queue.close();
    await assert.rejects(queue.publish('g', 1), Closed);
  }),
);

/** A thread whose clock throws this while the file exists. */
const threadWithBrokenClock = (file: string, thrown: string) => `
  import { existsSync } from 'node:fs';
  import { workerData } from 'node:worker_threads';
  import { serve } from ${JSON.stringify(new URL('../../rpc/server.ts', import.meta.url))};
  import { openTransportService } from ${JSON.stringify(new URL('../async/thread-service.ts', import.meta.url))};
  function readClock() {
    if (existsSync(${JSON.stringify(file)})) throw ${thrown};
    return Date.now();
  }
  const clock = { now: readClock, monotonic: () => performance.now(), after: () => () => {} };
  serve((emit, fail) => openTransportService(workerData, clock, emit, fail));`;

test(
  'an unexpected error in the thread rejects the calls with UNEXPECTED, with its class and stack as the cause',
  withAsync(async ({ open, folder, file }) => {
    const broken = folder.file('broken');
    writeFileSync(folder.file('thread.mjs'), threadWithBrokenClock(broken, "new TypeError('no battery')"));
    const queue = open({ threadFile: folder.file('thread.mjs') });
    await queue.publish('g', 1);
    writeFileSync(broken, '');
    const calls = [queue.publish('g', 2), queue.publish('g', 3)];
    for (const call of [...calls, queue.publish('g', 4)]) {
      await assert.rejects(call, (error: LeaseholdError) => {
        assert.ok(error instanceof LeaseholdError);
        assert.equal(error.code, 'UNEXPECTED');
        assert.match(error.message, /TypeError: no battery/);
        assert.ok(error.cause instanceof TypeError);
        assert.match(error.cause.stack ?? '', /readClock/);
        return true;
      });
    }
    rmSync(broken);
    assert.equal(await queue.publish('g', 5), 2);
    assert.equal(rows(file, 'SELECT COUNT(*) AS n FROM harel_transport_messages')[0]?.n, 2);
  }),
);

test(
  'an unexpected error while the thread opens the file rejects every call with UNEXPECTED, even if it is not an Error',
  withAsync(async ({ open, folder }) => {
    const broken = folder.file('broken');
    writeFileSync(broken, '');
    writeFileSync(folder.file('thread.mjs'), threadWithBrokenClock(broken, "'no battery'"));
    const queue = open({ threadFile: folder.file('thread.mjs') });
    for (let n = 0; n < 2; n++)
      await assert.rejects(queue.holders(), { code: 'UNEXPECTED', message: /not an Error.*'no battery'/ });
  }),
);

test(
  'a thread that ends by itself rejects open calls with THREAD_FAILED and later ones with CLOSED, and emits closed with the error',
  withAsync(async ({ open, folder }) => {
    writeFileSync(folder.file('dies.mjs'), 'setImmediate(() => process.exit(3));');
    const queue = open({ threadFile: pathToFileURL(folder.file('dies.mjs')) });
    const closed = closedEvent(queue);
    const outcomes = await outcomesOf([queue.publish('g', 1), queue.claim('w', 1_000)]);
    assert.deepEqual(outcomes, ['THREAD_FAILED', 'THREAD_FAILED']);
    assert.match(String(await closed), /exited with code 3/);
    await assert.rejects(queue.publish('g', 1), { code: 'CLOSED' });
    await queue.close();
  }),
);

test(
  'calls reject with THREAD_FAILED and the name of the file when the file of the thread is missing',
  withAsync(async ({ open, folder }) => {
    const queue = open({ threadFile: pathToFileURL(folder.file('none.mjs')) });
    await assert.rejects(queue.publish('g', 1), { code: 'THREAD_FAILED', message: /none\.mjs/ });
  }),
);

test(
  'close lets the open calls of the asynchronous transport finish and refuses later ones',
  withAsync(async ({ open, file }) => {
    const queue = open();
    const publishes = Array.from({ length: 200 }, (_, n) => queue.publish('g', n));
    const closed = queue.close();
    await assert.rejects(queue.publish('g', 'late'), { code: 'CLOSED' });
    await Promise.all([...publishes, closed, queue.close()]);
    assert.equal(rows(file, 'SELECT COUNT(*) AS n FROM harel_transport_messages')[0]?.n, 200);
  }),
);

test(
  'a lease settles through the asynchronous transport even if its holder added properties that cannot be cloned',
  withAsync(async ({ open }) => {
    const queue = open();
    await queue.publish('g', 1);
    const lease = await queue.claim('w', 30_000);
    assert.ok(lease);
    await queue.ack({ ...lease, done: () => 1 } as typeof lease);
    assert.deepEqual((await queue.holders()).holders, []);
  }),
);

test(
  'what an array carries beside its items stays with the caller: it need not be cloned',
  withAsync(async ({ open }) => {
    const queue = open();
    const routingKeys = Object.assign(['k'], { extra: () => 1 });
    assert.equal(await queue.claim('w', 1_000, { routingKeys }), null);
  }),
);

test(
  'an event whose schema throws is buried by the asynchronous transport, and the claim returns the next event',
  withAsync(async ({ open, file }) => {
    const throwing = z.unknown().transform((event) => {
      if (event === 'refused') throw new Error('refused by the schema');
      return event;
    });
    const queue = open({ schema: throwing });
    await queue.publish('g', 'first');
    execute(file, `UPDATE harel_transport_messages SET event = '"refused"'`);
    await queue.publish('g', 'second');
    assert.equal((await queue.claim('w', 30_000))?.event, 'second');
    const [dead] = await queue.deadLetters();
    assert.match(
      dead?.error ?? '',
      /the schema returned a promise: it is asynchronous, or one of its transforms raised/,
    );
  }),
);
