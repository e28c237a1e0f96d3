/** The worker over AsyncSqliteTransport: answers from a real thread, with the real clock. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { AsyncSqliteTransport } from '../../sqlite/async/async-transport.ts';
import { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { Park, runWorker } from '../index.ts';
import { gate, next, record } from './kit.ts';

type Event = { n: number };

async function withThread(
  t: TestContext,
  body: (queue: AsyncSqliteTransport<Event>, path: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-worker-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'queue.db');
  const queue = new AsyncSqliteTransport<Event>({ path });
  // Neither a sleeping worker nor its transport keeps a process alive; the test does.
  const alive = setInterval(() => {}, 60_000);
  try {
    await body(queue, path);
  } finally {
    clearInterval(alive);
    await queue.close();
  }
}

test('on a thread: 500 messages that succeed, fail, park and die end where they should, in order', (t) =>
  withThread(t, async (queue) => {
    await queue.publishMany(Array.from({ length: 500 }, (_, n) => ({ groupId: `g${n % 25}`, event: { n } })));
    const done: number[] = [];
    const busy = new Set<string>();
    const parked = new Set<number>();
    const all = gate();
    const worker = runWorker(
      queue,
      async ({ groupId, event: { n } }, { attempt }) => {
        assert.ok(!busy.has(groupId));
        busy.add(groupId);
        await new Promise(setImmediate);
        busy.delete(groupId);
        if (n % 10 === 3 && attempt === 1) throw new Error('once');
        if (n % 50 === 7) throw new Error('always');
        if (n % 10 === 5 && !parked.has(n)) {
          parked.add(n);
          throw new Park({ delayMs: 1 });
        }
        done.push(n);
      },
      { concurrency: 8, maxAttempts: 2, backoff: { initialMs: 1, jitter: 0 } },
    );
    let settled = 0;
    const count = () => {
      settled++;
      if (settled === 500) all.resolve();
    };
    worker.on('completed', count);
    worker.on('buried', count);
    await all.promise;
    await worker.idle();
    const { totals } = worker.snapshot();
    assert.deepEqual(totals, { completed: 490, failed: 60, parked: 50, buried: 10, leaseLost: 0 });
    assert.equal((await queue.deadLetters()).length, 10);
    for (let group = 0; group < 25; group++) {
      const own = done.filter((n) => n % 25 === group);
      assert.deepEqual(
        own,
        own.toSorted((a, b) => a - b),
      );
    }
    assert.deepEqual(await worker.stop(), { released: 0, abandoned: 0 });
  }));

test('on a thread: a publish wakes a sleeping worker, and stop gives back uncounted what runs', (t) =>
  withThread(t, async (queue, path) => {
    const worker = runWorker(queue, () => new Promise(() => {}), { pollMs: 0 });
    await worker.idle();
    const started = next(worker, 'started');
    await queue.publish('g', { n: 1 });
    await started;
    assert.deepEqual(await worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 }), { released: 1, abandoned: 1 });
    const other = new SqliteTransport<Event>({ path });
    assert.equal(other.claim('x', 1000)?.attempt, 1);
    other.close();
  }));

test("on a thread: another process's publish is noticed at the interval", (t) =>
  withThread(t, async (queue, path) => {
    const other = new SqliteTransport<Event>({ path });
    const worker = runWorker(queue, () => {}, { pollMs: 5 });
    await worker.idle();
    const done = next(worker, 'completed');
    other.publish('g', { n: 1 });
    await done;
    other.close();
    await worker.stop();
  }));

test('on a thread: closing the transport under a running worker stops it, and its handlers hear of it', (t) =>
  withThread(t, async (queue) => {
    await queue.publish('g', { n: 1 });
    const aborted = gate();
    const worker = runWorker(
      queue,
      (_message, { signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => aborted.resolve());
        }),
    );
    const troubles = record(worker, 'transport-error');
    await next(worker, 'started');
    await queue.close();
    await aborted.promise;
    assert.deepEqual([worker.state, troubles.length], ['stopped', 1]);
  }));
