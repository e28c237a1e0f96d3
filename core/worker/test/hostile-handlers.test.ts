import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import type { Transport } from '../../contract/transport.ts';
import { AsyncSqliteTransport } from '../../sqlite/async/async-transport.ts';
import { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { randomFrom } from '../../sqlite/test/support/random.ts';
import { TempFolder } from '../../sqlite/test/support/temp-folder.ts';
import { type Handler, runWorker, type StopResult, type Worker, type WorkerOptions } from '../index.ts';
import type { Event } from './support/controlled-handler.ts';
import { handovers, hostileValues, misdeeds } from './support/hostile-values.ts';
import { nextEvent, untilEvents, waitFor } from './support/signals.ts';
import { bothTransports, withTransport } from './support/worker-bench.ts';

const transports = {
  SqliteTransport: (path: string): Transport<Event> => new SqliteTransport({ path, durability: 'normal' }),
  AsyncSqliteTransport: (path: string): Transport<Event> =>
    new AsyncSqliteTransport({ path, durability: 'normal' }),
};

/** A worker gives up what never settles, and a failure is buried at once. */
const OPTIONS: WorkerOptions = {
  concurrency: 4,
  maxAttempts: 2,
  timeoutMs: 100,
  abortGraceMs: 1,
  pollMs: 0,
  backoff: { initialMs: 0 },
};

const SEED = 20_261_130;
const FINE = 'fine';

/** Every hostile value in every way of handing it over, and every misdeed. */
const hostileActs = new Map<string, Handler<Event>>(Object.entries(misdeeds));
for (const [how, handOver] of Object.entries(handovers))
  for (const [what, make] of Object.entries(hostileValues))
    hostileActs.set(`${how} ${what}`, () => handOver(make()));

/** Resolves when this many messages are completed, buried or parked. */
function untilSettled(worker: Worker, count: number): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = count;
  for (const name of ['completed', 'buried', 'parked'] as const)
    worker.on(name, () => {
      if (--left === 0) resolve();
    });
  return waitFor(`${count} messages to be completed, buried or parked`, promise);
}

for (const [name, open] of Object.entries(transports))
  test(`whatever a handler returns, throws or does to what it was given, every other message completes, and the worker stops (${name})`, async () => {
    using folder = new TempFolder();
    const queue = open(folder.file());
    const random = randomFrom(SEED);
    const acts = [...hostileActs.keys()].sort(() => random() - 0.5);
    // Each hostile message stands before or behind a fine one, in its group or in another. A Park would keep a fine one behind it.
    const messages = acts.flatMap((act, place) => {
      const groupId = random() < 0.5 && !act.includes('a Park') ? act : `alone ${place}`;
      const both = [
        { groupId: act, event: act },
        { groupId, event: FINE },
      ];
      return random() < 0.5 ? both : both.reverse();
    });
    await queue.publishMany(messages);
    const fine: string[] = [];
    const worker = runWorker(
      queue,
      (message, context) => {
        if (message.event !== FINE) return hostileActs.get(message.event)?.(message, context);
        return fine.push(message.groupId);
      },
      OPTIONS,
    );
    let lost = 0;
    worker.on('lease-lost', () => lost++);
    await untilSettled(worker, messages.length);
    const { running, waiting, totals } = worker.snapshot();
    assert.deepEqual({ running, waiting, lost }, { running: [], waiting: 0, lost: 0 });
    assert.equal(fine.length, acts.length);
    assert.equal(totals.completed + totals.buried + totals.parked, messages.length);
    assert.deepEqual(await waitFor('the worker to stop', worker.stop()), { released: 0, abandoned: 0 });
    assert.deepEqual((await queue.holders()).holders, []);
    const dead = await queue.deadLetters({ limit: 1000 });
    assert.equal(dead.length, totals.buried);
    assert.ok(dead.every(({ error }) => error !== null && error.length <= 4000));
    await queue.close();
  });

test('listeners and a logger that raise become uncaught exceptions, and neither a message nor a slot is lost', async () => {
  using folder = new TempFolder();
  const program = new URL('./support/hostile-listeners.program.ts', import.meta.url);
  const child = fork(program, [folder.file()], { silent: true });
  const [report] = await waitFor('the report of the process', once(child, 'message'));
  await once(child, 'exit');
  const { uncaught, totals, ...rest } = report;
  assert.ok(uncaught > 30);
  assert.equal(totals.completed, 10);
  // One that is tried again within the test fails again.
  assert.ok(totals.failed >= 20);
  assert.deepEqual(rest, { running: 0, stopped: { released: 0, abandoned: 0 }, holders: 0 });
});

test('on and off refuse an event that the worker does not have, and a listener that is no function', async () => {
  using folder = new TempFolder();
  const queue = new SqliteTransport<Event>({ path: folder.file(), durability: 'normal' });
  // biome-ignore lint/suspicious/noExplicitAny: these calls violate the types, as callers in JavaScript can
  const worker: any = runWorker(queue, () => {}, OPTIONS);
  for (const method of ['on', 'off']) {
    for (const name of ['complete', 'published', '', undefined, Symbol('s'), {}, 'constructor'])
      assert.throws(
        () => worker[method](name, () => {}),
        /A worker has no event .*Its events are: state, .*completed/,
      );
    for (const listener of [undefined, null, 'f', {}])
      assert.throws(
        () => worker[method]('completed', listener),
        /The listener of 'completed' must be a function/,
      );
  }
  await worker.stop();
  queue.close();
});

for (const kind of bothTransports)
  test(
    `a handler may call every method of its own worker, and stop it (${kind} transport)`,
    withTransport(kind, async ({ queue, startWorker }) => {
      const listener = () => {};
      let stopped: Promise<StopResult> | undefined;
      const worker = startWorker(({ event }) => {
        if (event === 'last') {
          stopped = worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 });
          return stopped;
        }
        worker.on('completed', listener);
        worker.pause('a handler');
        worker.configure({ concurrency: 1 + (event % 5) });
        worker.wake();
        worker.snapshot();
        void worker.idle();
        worker.off('completed', listener);
        return worker.resume('a handler');
      });
      const completed = untilEvents(worker, 'completed', 50);
      queue.publishMany(Array.from({ length: 50 }, (_, event) => ({ groupId: `g${event}`, event })));
      await completed;
      const ended = nextEvent(worker, 'state', ({ state }) => state === 'stopped');
      queue.publish('last', 'last');
      await ended;
      assert.deepEqual(await stopped, { released: 1, abandoned: 1 });
      assert.equal(queue.claim('another worker', 1000)?.attempt, 1);
    }),
  );
