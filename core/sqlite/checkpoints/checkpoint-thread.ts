/** The owner's side of a checkpoint thread: starts it, wakes it, ends it. */
import { existsSync } from 'node:fs';
import { startThread, threadFileOf } from '../../rpc/thread-file.ts';
import {
  CLOSED,
  CLOSING,
  OPEN,
  PHASE,
  READY,
  SIGNALS,
  STARTING,
  STATE_LENGTH,
  type ThreadData,
} from './checkpoint-protocol.ts';

/** A checkpoint in progress is finished first. If the disk takes longer than this, the thread removes the log by itself. */
const CLOSE_TIMEOUT_MS = 10_000;

export class CheckpointThread {
  readonly #state = new Int32Array(new SharedArrayBuffer(4 * STATE_LENGTH));

  /** Raises an error when no thread can be started. */
  constructor(path: string, identity: string) {
    const file = threadFileOf(undefined, import.meta.url, 'checkpoint.thread');
    if (!existsSync(file)) throw new Error(`${file} is missing.`);
    const workerData: ThreadData = { path, identity, state: this.#state };
    const worker = startThread(file, { workerData, name: 'leasehold checkpoints' });
    worker.unref();
    // Its connections then checkpoint by themselves, which needs no report.
    worker.on('error', () => Atomics.store(this.#state, PHASE, CLOSED));
  }

  get hasEnded(): boolean {
    return Atomics.load(this.#state, PHASE) === CLOSED;
  }

  /** True once after the thread has copied all but a few pages. */
  takeReady(): boolean {
    return Atomics.load(this.#state, READY) === 1 && Atomics.exchange(this.#state, READY, 0) === 1;
  }

  /** Asks for a checkpoint. */
  wake(): void {
    Atomics.add(this.#state, SIGNALS, 1);
    Atomics.notify(this.#state, SIGNALS);
  }

  /** Returns when the thread has closed its connection, so that the caller's close can remove the log. */
  close(): void {
    const state = this.#state;
    if (Atomics.compareExchange(state, PHASE, STARTING, CLOSED) === STARTING) return;
    if (Atomics.compareExchange(state, PHASE, OPEN, CLOSING) === OPEN) {
      Atomics.notify(state, PHASE);
      this.wake();
    }
    Atomics.wait(state, PHASE, CLOSING, CLOSE_TIMEOUT_MS);
  }
}
