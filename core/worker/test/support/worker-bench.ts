/** What the worker's tests share: a queue in a folder of its own, and workers that must leave nothing behind. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { SqliteTransport } from '../../../sqlite/sqlite-transport.ts';
import { TempFolder } from '../../../sqlite/test/support/temp-folder.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { type Handler, type Handlers, runWorker, type Worker, type WorkerOptions } from '../../index.ts';
import type { Event } from './controlled-handler.ts';
import { waitFor } from './signals.ts';
import { type TransportKind, TransportSpy } from './transport-spy.ts';

export interface WorkerBench {
  readonly clock: FakeClock;
  /** Direct access to the file, without the spy. */
  readonly queue: SqliteTransport<Event>;
  /** The transport that workers get. */
  readonly spy: TransportSpy<Event>;
  /** Another connection to the file, as another process has one. */
  connect(): SqliteTransport<Event>;
  /** Takes every lease away through another connection, as an operator does. */
  takeLeasesAway(): SqliteTransport<Event>;
  /** Starts a worker with the fake clock and without polling. */
  startWorker(handler: Handler<Event> | Handlers<Event, string>, options?: WorkerOptions): Worker;
}

type Body = (bench: WorkerBench, t: TestContext) => Promise<void>;

export const bothTransports: readonly TransportKind[] = ['synchronous', 'asynchronous'];

/** A test's function over a synchronous transport. */
export function withQueue(body: Body): (t: TestContext) => Promise<void> {
  return withTransport('synchronous', body);
}

/**
 * A test's function: it runs `body` over a new queue, then stops the workers, and fails when a timer or an open file is
 * left.
 */
export function withTransport(kind: TransportKind, body: Body): (t: TestContext) => Promise<void> {
  return async (t) => {
    using folder = new TempFolder();
    const clock = new FakeClock();
    const connections: SqliteTransport<Event>[] = [];
    const workers: Worker[] = [];
    const connect = () => {
      const connection = new SqliteTransport<Event>({ path: folder.file(), clock, durability: 'normal' });
      connections.push(connection);
      return connection;
    };
    const queue = connect();
    const spy = new TransportSpy<Event>(queue, kind);
    try {
      const takeLeasesAway = () => {
        const operator = connect();
        operator.release(operator.holders().holders.map(({ workerId }) => workerId));
        return operator;
      };
      const startWorker: WorkerBench['startWorker'] = (handler, options = {}) => {
        const worker = runWorker(spy.transport, handler, { clock, pollMs: 0, ...options });
        workers.push(worker);
        return worker;
      };
      await body({ clock, queue, spy, connect, takeLeasesAway, startWorker }, t);
    } finally {
      const stops = workers.map((worker) => worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 }));
      await waitFor('the workers of the test to stop', Promise.all(stops));
      for (const connection of connections) connection.close();
    }
    assert.equal(clock.timers, 0, 'a timer was left behind');
  };
}
