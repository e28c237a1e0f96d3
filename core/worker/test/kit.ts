/** What the worker's tests share: a queue in a temp folder, a worker that must not leak, and signals to wait for. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Transport } from '../../contract/transport.ts';
import { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import {
  type Handler,
  type Handlers,
  runWorker,
  type Worker,
  type WorkerEvents,
  type WorkerOptions,
} from '../index.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests' events are of many shapes
export type Event = any;

export interface Bench {
  readonly clock: FakeClock;
  readonly path: string;
  /** Straight to the file: what the tests look at and publish with. */
  readonly queue: SqliteTransport<Event>;
  /** What workers are given: the queue, or the same with answers that come later. */
  readonly transport: Transport<Event>;
  /** A second connection, as another process would have. */
  other(): SqliteTransport<Event>;
  /** A worker with the fake clock and no poll; it is stopped, and must leave no timer, when the test ends. */
  work(
    handler: Handler<Event> | Handlers<Event, string>,
    options?: WorkerOptions,
    on?: Transport<Event>,
  ): Worker;
}

export type Answers = 'at once' | 'later';

/** Runs a test's body with a fresh queue and checks that nothing is left behind. */
export async function withQueue(
  t: TestContext,
  body: (bench: Bench) => Promise<void>,
  answers: Answers = 'at once',
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-worker-'));
  const clock = new FakeClock();
  const path = join(folder, 'queue.db');
  const opened: SqliteTransport<Event>[] = [];
  const workers: Worker[] = [];
  const open = () => {
    const transport = new SqliteTransport<Event>({ path, clock, durability: 'normal' });
    opened.push(transport);
    return transport;
  };
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const queue = open();
  const transport = answers === 'later' ? answeringLater(queue) : queue;
  try {
    await body({
      clock,
      path,
      queue,
      transport,
      other: open,
      work(handler, options = {}, on = transport) {
        const worker = runWorker(on, handler, { clock, pollMs: 0, ...options });
        workers.push(worker);
        return worker;
      },
    });
  } finally {
    await Promise.all(workers.map((worker) => worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 })));
    for (const transport of opened) transport.close();
  }
  assert.equal(clock.timers, 0, 'a timer was left behind');
}

/** A test over a transport that answers at once, and the same over one that answers later. */
export const bothWays: readonly Answers[] = ['at once', 'later'];

/** The same queue, every verb a promise that settles in a later round of the event loop. */
export function answeringLater(transport: Transport<Event>): Transport<Event> {
  const immediate = new Set(['on', 'off']);
  return new Proxy(transport, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (immediate.has(String(name))) return value.bind(target);
      return async (...args: unknown[]) => {
        await rounds(1);
        return value.apply(target, args);
      };
    },
  });
}

/** Lets the event loop go round: enough for whatever needs no time to happen. */
export async function rounds(count = 12): Promise<void> {
  for (let round = 0; round < count; round++) await new Promise(setImmediate);
}

/** Resolves with the next event of this name (that fits). */
export function next<Name extends keyof WorkerEvents>(
  worker: Worker,
  name: Name,
  fits: (detail: WorkerEvents[Name]) => boolean = () => true,
): Promise<WorkerEvents[Name]> {
  return new Promise((resolve) => {
    const listener = (detail: WorkerEvents[Name]) => {
      if (!fits(detail)) return;
      worker.off(name, listener);
      resolve(detail);
    };
    worker.on(name, listener);
  });
}

/** Every event of these names from now on, in order. */
export function record(worker: Worker, ...names: (keyof WorkerEvents)[]): string[] {
  const seen: string[] = [];
  for (const name of names)
    worker.on(name, (detail) => seen.push('groupId' in detail ? `${name} ${detail.groupId}` : name));
  return seen;
}

/** A promise to settle by hand. */
export function gate<T = void>(): PromiseWithResolvers<T> {
  return Promise.withResolvers<T>();
}

/** A handler whose runs end when the test says so, by the event. */
export function gated(): {
  handler: Handler<Event>;
  running: Event[];
  started: Event[];
  open(event: Event): void;
} {
  const gates = new Map<Event, PromiseWithResolvers<void>>();
  const running: Event[] = [];
  const started: Event[] = [];
  return {
    running,
    started,
    handler: async ({ event }) => {
      running.push(event);
      started.push(event);
      const own = gate();
      gates.set(event, own);
      await own.promise;
      running.splice(running.indexOf(event), 1);
    },
    open(event) {
      gates.get(event)?.resolve();
    },
  };
}
