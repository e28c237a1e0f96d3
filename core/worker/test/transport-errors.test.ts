import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Closed, LeaseholdError, LeaseLost } from '../../contract/errors.ts';
import { ControlledHandler } from './support/controlled-handler.ts';
import { nextEvent, recordEvents, untilIdle } from './support/signals.ts';
import { WRITING_VERBS } from './support/transport-spy.ts';
import { bothTransports, withQueue, withTransport } from './support/worker-bench.ts';

for (const kind of bothTransports)
  test(
    `a queue that cannot be written is tried again, later each time, and no result is lost (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, spy, startWorker }) => {
      for (const event of ['a', 'b', 'c']) queue.publish(event, event);
      const handler = new ControlledHandler();
      const worker = startWorker(handler.handle, { concurrency: 2, visibilityMs: 60_000 });
      const waits: (number | null)[] = [];
      worker.on('transport-error', ({ retryAt }) => waits.push(retryAt && retryAt - clock.now()));
      await handler.untilStarted('a', 'b');
      spy.fail(WRITING_VERBS);
      handler.finish('a');
      for (const ms of [0, 100, 200, 400]) {
        clock.advance(ms);
        await nextEvent(worker, 'transport-error');
      }
      assert.deepEqual(waits, [100, 200, 400, 800]);
      spy.recover();
      clock.advance(800);
      await handler.untilStarted('c');
      assert.deepEqual(handler.running, ['b', 'c']);
      handler.finish('b');
      handler.finish('c');
      await untilIdle(worker);
      assert.equal(worker.snapshot().totals.completed, 3);
    }),
  );

test(
  'claimed messages are still handled, one slice after the other, while the transport waits for its retry',
  withQueue(async ({ clock, queue, spy, startWorker }) => {
    for (const event of ['a', 'b', 'c', 'd']) queue.publish(event, event);
    spy.fail(['ackAndClaimMany']);
    const started: unknown[] = [];
    const worker = startWorker(
      ({ event }) => {
        started.push(event);
        // Longer than the time for which the worker calls handlers at a stretch.
        clock.advance(5);
      },
      { concurrency: 4 },
    );
    const errors = recordEvents(worker, 'transport-error');
    await nextEvent(worker, 'started', ({ groupId }) => groupId === 'd');
    assert.deepEqual(started, ['a', 'b', 'c', 'd']);
    assert.equal(errors.length, 1);
    spy.recover();
    clock.advance(100);
    await untilIdle(worker);
    assert.equal(worker.snapshot().totals.completed, 4);
  }),
);

test(
  'a worker stops by itself, and fires the signals of its handlers, when its transport is closed',
  withQueue(async ({ queue, startWorker }) => {
    queue.publish('g', 1);
    let signal: AbortSignal | undefined;
    const worker = startWorker((_message, context) => {
      signal = context.signal;
      return new Promise(() => {});
    });
    await nextEvent(worker, 'started');
    const failure = nextEvent(worker, 'transport-error');
    queue.close();
    assert.equal((await failure).retryAt, null);
    assert.equal(worker.state, 'stopped');
    assert.equal(signal?.aborted, true);
    assert.deepEqual(await worker.stop(), { released: 0, abandoned: 0 });
  }),
);

test(
  'a worker stops by itself when a call of its transport raises Closed',
  withQueue(async ({ queue, spy, startWorker }) => {
    queue.publish('g', 1);
    spy.fail(['claimMany'], new Closed());
    const worker = startWorker(() => {});
    const { error, retryAt } = await nextEvent(worker, 'transport-error');
    assert.deepEqual([(error as Closed).code, retryAt, worker.state], ['CLOSED', null, 'stopped']);
    assert.deepEqual(await worker.stop(), { released: 0, abandoned: 0 });
  }),
);

test(
  'a worker that cannot look for dead workers at its start logs the error, and handles messages',
  withQueue(async ({ queue, spy, startWorker }) => {
    queue.publish('g', 1);
    spy.fail(['holders'], new Error('disk failure'));
    const logged: unknown[] = [];
    const error = (facts: object) => void logged.push((facts as { err: Error }).err.message);
    const worker = startWorker(() => {}, { logger: { debug() {}, info() {}, warn() {}, error } });
    await nextEvent(worker, 'completed');
    assert.deepEqual(logged, ['disk failure']);
  }),
);

for (const kind of bothTransports) {
  test(
    `during a long trouble a worker tries again every second, and failed looks for other writers do not prolong the wait (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, spy, startWorker }) => {
      const worker = startWorker(() => {}, { pollMs: 50 });
      await untilIdle(worker);
      const waits: (number | null)[] = [];
      worker.on('transport-error', ({ retryAt }) => waits.push(retryAt && retryAt - clock.now()));
      spy.fail([...WRITING_VERBS, 'dataVersion']);
      queue.publish('g', 1);
      await nextEvent(worker, 'transport-error');
      for (const ms of [100, 200, 400, 800, 1000, 1000]) {
        // Several looks fail before the retry.
        for (let left = ms; left > 0; left -= 50) {
          const failure = left === 50 && nextEvent(worker, 'transport-error');
          const look = left > 50 && spy.untilAnswered('dataVersion');
          clock.advance(50);
          await (failure || look);
        }
      }
      assert.deepEqual(waits, [100, 200, 400, 800, 1000, 1000, 1000]);
      spy.recover();
      const completed = nextEvent(worker, 'completed');
      clock.advance(1000);
      await completed;
    }),
  );

  test(
    `a trouble that follows a success begins with the shortest wait again (${kind} transport)`,
    withTransport(kind, async ({ clock, queue, spy, startWorker }) => {
      const lines: string[] = [];
      const note = (_facts: object, line: string) => void lines.push(line);
      const logger = { debug() {}, info: note, warn: note, error: note };
      const worker = startWorker(() => {}, { logger });
      for (let trouble = 0; trouble < 2; trouble++) {
        await untilIdle(worker);
        spy.fail(WRITING_VERBS);
        queue.publish('g', trouble);
        for (const ms of [0, 100]) {
          const failure = nextEvent(worker, 'transport-error');
          clock.advance(ms);
          const { retryAt } = await failure;
          assert.equal(retryAt && retryAt - clock.now(), ms === 0 ? 100 : 200);
        }
        spy.recover();
        const completed = nextEvent(worker, 'completed');
        clock.advance(200);
        await completed;
      }
      const trouble = ['the queue could not be used; the worker tries again', 'the queue can be used again'];
      assert.deepEqual(lines, [...trouble, ...trouble]);
    }),
  );
}

test(
  'while a look for other writers waits for its answer, no further one is made',
  withTransport('asynchronous', async ({ clock, spy, startWorker }) => {
    const worker = startWorker(() => {}, { pollMs: 1000 });
    await untilIdle(worker);
    spy.calls.length = 0;
    const answer = spy.holdAnswers(['dataVersion']);
    clock.advance(1000);
    clock.advance(5000);
    assert.deepEqual(spy.verbs, ['dataVersion']);
    const answered = spy.untilAnswered('dataVersion');
    answer();
    await answered;
    clock.advance(1000);
    assert.deepEqual(spy.verbs, ['dataVersion', 'dataVersion']);
  }),
);

test(
  'a queue that has become read-only is tried again more and more seldom, up to every 30 seconds',
  withQueue(async ({ clock, queue, spy, startWorker }) => {
    const worker = startWorker(() => {});
    await untilIdle(worker);
    spy.fail(WRITING_VERBS, new LeaseholdError('READ_ONLY', 'The file cannot be written.'));
    queue.publish('g', 1);
    let wait = 0;
    for (let tries = 0; tries < 12; tries++) {
      const failure = nextEvent(worker, 'transport-error');
      clock.advance(wait);
      const { retryAt } = await failure;
      wait = (retryAt ?? 0) - clock.now();
    }
    assert.equal(wait, 30_000);
    spy.recover();
    const completed = nextEvent(worker, 'completed');
    clock.advance(wait);
    await completed;
  }),
);

/** As a transport of another copy of the package raises them. */
async function errorsOfSecondCopy(): Promise<typeof import('../../contract/errors.ts')> {
  return import(`${new URL('../../contract/errors.ts', import.meta.url).href}?copy`);
}

for (const kind of bothTransports)
  test(
    `the errors of a transport of another copy of the package are known by their codes (${kind} transport)`,
    withTransport(kind, async ({ queue, spy, startWorker }) => {
      const copy = await errorsOfSecondCopy();
      queue.publish('g', 1);
      spy.fail(['ackAndClaimMany'], new copy.LeaseholdError('BUSY', 'Another writer holds the file.'));
      spy.fail(['nack'], new copy.LeaseLost('The lease is lost.'));
      const worker = startWorker(() => {
        throw new Error('a failure');
      });
      const { error } = await nextEvent(worker, 'lease-lost');
      assert.ok(error instanceof copy.LeaseLost && !(error instanceof LeaseLost));
      spy.fail(['claimMany', 'ackAndClaimMany'], new copy.Closed());
      const stopped = nextEvent(worker, 'state', ({ state }) => state === 'stopped');
      queue.publish('h', 2);
      await stopped;
    }),
  );

test(
  'whatever a transport raises, the worker tries again',
  withQueue(async ({ clock, queue, spy, startWorker }) => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    spy.fail(['claimMany'], proxy as Error);
    queue.publish('g', 1);
    const worker = startWorker(() => {});
    const { retryAt } = await nextEvent(worker, 'transport-error');
    assert.equal(retryAt, clock.now() + 100);
    spy.recover();
    const completed = nextEvent(worker, 'completed');
    clock.advance(100);
    await completed;
  }),
);
