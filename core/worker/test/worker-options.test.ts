import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import Database from 'better-sqlite3';
import { BadArgument } from '../../contract/errors.ts';
import { AsyncSqliteTransport } from '../../sqlite/async/async-transport.ts';
import { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { TempFolder } from '../../sqlite/test/support/temp-folder.ts';
import { runWorker } from '../index.ts';
import { withQueue } from './support/worker-bench.ts';

const invalidOptions: [object, RegExp][] = [
  [{ concurency: 2 }, /Misspelled option "concurency" in options of runWorker: did you mean "concurrency"\?/],
  [{ retries: 2 }, /Misspelled option "retries".*known are: concurrency, minPriority/],
  [{ concurrency: 0 }, /concurrency must be a whole number from 1 to 1000, not 0\./],
  [{ concurrency: '2' }, /concurrency must be .*, not "2"\./],
  [{ minPriority: 5 }, /minPriority must be a whole number from 0 to 4, not 5/],
  [{ routingKeys: 'a' }, /routingKeys must be an array, not "a"/],
  [{ routingKeys: [1] }, /a routing key must be a string, not 1/],
  [{ app: 'a:b' }, /app must be a name without ':', not "a:b"/],
  [{ visibilityMs: 5 }, /visibilityMs must be a finite number of at least 100, not 5/],
  [{ visibilityMs: 1e300 }, /visibilityMs must be at most \d+ ms \(100 years\), not 1e\+300/],
  [{ clock: { now: () => 0 } }, /clock\.monotonic must be a function, not undefined/],
  [{ maxAttempts: 0 }, /maxAttempts \(or Infinity\) must be a whole number from 1/],
  [{ backoff: 5 }, /backoff must be an object, not 5/],
  [{ backoff: { baseMs: 5 } }, /Misspelled option "baseMs" in backoff: known are: initialMs/],
  [{ backoff: { factor: 0.5 } }, /backoff\.factor must be a finite number of at least 1, not 0\.5/],
  [{ backoff: { jitter: 2 } }, /backoff\.jitter must be from 0 to 1, not 2/],
  [{ timeoutMs: -1 }, /timeoutMs must be a finite number of at least 0, not -1/],
  [{ abortGraceMs: Number.NaN }, /abortGraceMs must be .*, not NaN/],
  [{ stopTimeoutMs: Number.POSITIVE_INFINITY }, /stopTimeoutMs must be a finite number/],
  [{ maxErrorLength: 5 }, /maxErrorLength must be a whole number from 100/],
  [{ pollMs: null }, /pollMs must be .*, not null/],
  [{ releaseDeadWorkers: 1 }, /releaseDeadWorkers must be true or false, not 1/],
  [{ logger: { info() {} } }, /logger\.debug must be a function, not undefined/],
  [{ logger: null }, /logger\.debug must be a function/],
];

for (const [options, message] of invalidOptions)
  test(
    `runWorker refuses the options ${inspect(options)} before the worker starts`,
    withQueue(async ({ queue }) => {
      assert.throws(
        () => runWorker(queue, () => {}, options),
        (error: unknown) => error instanceof BadArgument && message.test(error.message),
      );
    }),
  );

const invalidHandlers: [unknown, RegExp][] = [
  [undefined, /The handler \(a function, or \{handlers: \{…\}\}\) must be an object, not undefined/],
  [{ handler: {} }, /did you mean "handlers"/],
  [{ handlers: {} }, /handlers is empty/],
  [{ handlers: { a: 1 } }, /handlers\.a must be a function, not 1/],
  [{ handlers: { a() {} }, kindField: '' }, /kindField must be the name of the event's field/],
];

for (const [handler, message] of invalidHandlers)
  test(
    `runWorker refuses the handler ${inspect(handler)}`,
    withQueue(async ({ queue }) => {
      assert.throws(() => runWorker(queue, handler as () => void), message);
    }),
  );

test('runWorker refuses a first argument that is not a transport', () => {
  assert.throws(() => runWorker({} as never, () => {}), /takes a transport first, not an object/);
});

test(
  'runWorker refuses a transport that lacks a call which the worker needs only when it stops',
  withQueue(async ({ queue }) => {
    const older = new Proxy(queue, {
      get: (target, name) => (name === 'releaseNow' ? undefined : Reflect.get(target, name, target)),
    });
    assert.throws(() => runWorker(older, () => {}), /takes a transport first/);
  }),
);

test(
  'an option whose value is undefined has its default',
  withQueue(async ({ startWorker }) => {
    const worker = startWorker(() => {}, { concurrency: undefined, backoff: undefined, logger: undefined });
    assert.equal(worker.concurrency, 4);
  }),
);

test('a worker refuses a transport that was opened with readonly, and a connection that only reads', async () => {
  using folder = new TempFolder();
  const path = folder.file();
  const owner = new SqliteTransport({ path });
  const connection = new Database(path, { readonly: true });
  const refused = [
    new SqliteTransport({ path, readonly: true }),
    new AsyncSqliteTransport({ path, readonly: true }),
    new SqliteTransport({ database: connection, readonly: true }),
  ];
  for (const queue of refused) {
    assert.throws(
      () => runWorker(queue, () => {}),
      (error) => error instanceof BadArgument && /opened with readonly.*without readonly/.test(error.message),
    );
    await queue.close();
  }
  connection.close();
  owner.close();
});
