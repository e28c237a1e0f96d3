import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gate, next, rounds, withQueue } from './kit.ts';

test('the snapshot is plain data: who runs what since when, totals, and the last minutes in steps', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    queue.publish('g', 1, { priority: 2, routingKey: 'k' });
    const end = gate();
    const worker = work(
      async (_message, { progress }) => {
        progress(0.5, 'half');
        await end.promise;
      },
      { concurrency: 3, minPriority: 1, routingKeys: ['k'] },
    );
    await next(worker, 'started');
    const since = clock.now();
    clock.advance(7000);
    const { history, ...snapshot } = worker.snapshot();
    const none = { completed: 0, failed: 0, parked: 0, buried: 0, leaseLost: 0 };
    assert.deepEqual(snapshot, {
      workerId: worker.id,
      state: 'running',
      pausedFor: [],
      startedAt: since,
      concurrency: 3,
      minPriority: 1,
      routingKeys: ['k'],
      running: [{ seq: 1, groupId: 'g', attempt: 1, since, progress: 0.5, note: 'half', aborted: false }],
      waiting: 0,
      totals: none,
      lastMinute: none,
    });
    assert.deepEqual(structuredClone(worker.snapshot()), worker.snapshot());
    assert.equal(history.steps.length, 60);
    end.resolve();
    await worker.idle();
    clock.advance(50_000);
    assert.equal(worker.snapshot().lastMinute.completed, 1);
    clock.advance(20_000);
    assert.equal(worker.snapshot().lastMinute.completed, 0);
    const steps = worker.snapshot().history.steps;
    assert.equal(
      steps.reduce((sum, step) => sum + step.completed, 0),
      1,
    );
    assert.equal((steps[1]?.at ?? 0) - (steps[0]?.at ?? 0), 5000);
    clock.advance(300_000);
    assert.equal(
      worker.snapshot().history.steps.reduce((sum, step) => sum + step.completed, 0),
      0,
    );
    assert.equal(worker.snapshot().totals.completed, 1);
  }));

test('since follows the monotonic clock, so that a step of the wall clock makes no handler look hours old', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    queue.publish('g', 1);
    const worker = work(() => new Promise(() => {}));
    await next(worker, 'started');
    clock.step(-3_600_000);
    clock.advance(2000);
    assert.equal(worker.snapshot().running[0]?.since, clock.now() - 2000);
  }));

test('the logger is called as pino and electron-log want it: a method, facts, then a sentence', (t) =>
  withQueue(t, async ({ clock, queue, work }) => {
    queue.publish('ok', 1);
    queue.publish('bad', 2);
    const lines: unknown[][] = [];
    class Pino {
      level(...line: unknown[]) {
        lines.push(line);
      }
      debug(...line: unknown[]) {
        this.level('debug', ...line);
      }
      info(...line: unknown[]) {
        this.level('info', ...line);
      }
      warn(...line: unknown[]) {
        this.level('warn', ...line);
      }
      error(...line: unknown[]) {
        this.level('error', ...line);
      }
    }
    const worker = work(
      ({ groupId }) => {
        if (groupId === 'bad') throw new Error('no');
      },
      { logger: new Pino(), backoff: { initialMs: 10, jitter: 0 }, maxAttempts: 2 },
    );
    await worker.idle();
    clock.advance(11);
    await worker.idle();
    assert.ok(
      lines.every((line) => line.length === 3 && typeof line[1] === 'object' && typeof line[2] === 'string'),
    );
    const said = lines.map(([level, , sentence]) => `${level}: ${sentence}`);
    assert.ok(said.includes('debug: message done'));
    assert.ok(said.includes('warn: message failed, to be tried again'));
    assert.ok(said.includes('error: message buried'));
    const buried = lines.find(([, , sentence]) => sentence === 'message buried')?.[1] as {
      err: Error;
      workerId: string;
      seq: number;
    };
    assert.deepEqual([buried.err.message, buried.workerId, buried.seq], ['no', worker.id, 2]);
  }));

test('a worker without a logger prints nothing', (t) =>
  withQueue(t, async ({ queue, work }) => {
    const { stdout, stderr } = process;
    const printed: unknown[] = [];
    t.mock.method(console, 'log', (...line: unknown[]) => printed.push(line));
    t.mock.method(console, 'warn', (...line: unknown[]) => printed.push(line));
    t.mock.method(console, 'error', (...line: unknown[]) => printed.push(line));
    assert.ok(stdout && stderr);
    queue.publish('g', 1);
    const worker = work(
      () => {
        throw new Error('no');
      },
      { maxAttempts: 1 },
    );
    await worker.idle();
    assert.deepEqual(printed, []);
  }));

test('the states are told in order', (t) =>
  withQueue(t, async ({ work }) => {
    const worker = work(() => {});
    const states: string[] = [worker.state];
    worker.on('state', ({ state }) => states.push(state));
    await worker.idle();
    worker.pause();
    worker.resume();
    await rounds();
    await worker.stop();
    assert.deepEqual(states, ['starting', 'running', 'paused', 'running', 'stopping', 'stopped']);
  }));
