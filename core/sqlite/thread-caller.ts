/** The near side of AsyncSqliteTransport's thread: sends calls in order, many a message, and settles their promises. */
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { fromErrorData, LeaseholdError, TransportClosed } from '../errors.ts';
import type { Emitter } from '../events.ts';
import type { TransportEventName, TransportEvents } from '../transport.ts';
import type { FromThread, ThreadCall, ThreadStart, ThreadVerb, ToThread } from './thread-protocol.ts';

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class ThreadCaller {
  readonly #worker: Worker;
  readonly #emitter: Emitter<TransportEvents>;
  readonly #pending = new Map<number, Pending>();
  readonly #exited: Promise<void>;
  #unsent: ThreadCall[] = [];
  #nextId = 1;
  /** What further calls are rejected with; undefined while open. */
  #over: LeaseholdError | undefined;
  #ended = false;

  constructor(start: ThreadStart, threadFile: string | URL | undefined, emitter: Emitter<TransportEvents>) {
    this.#emitter = emitter;
    this.#worker = new Worker(threadFile ?? besideThisModule(), { workerData: start });
    this.#worker.on('message', (message: FromThread) => this.#receive(message));
    this.#worker.on('error', (error) => this.#crash(error.message, error));
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', (code) => {
        this.#crash(`it exited with code ${code}`);
        resolve();
      });
    });
    // Only a call in flight keeps the process alive.
    this.#worker.unref();
  }

  call<T>(verb: ThreadVerb, ...args: readonly unknown[]): Promise<T> {
    if (this.#over) return Promise.reject(this.#over);
    return new Promise<T>((resolve, reject) => {
      const id = this.#nextId++;
      if (this.#pending.size === 0) this.#worker.ref();
      this.#pending.set(id, { resolve: resolve as Pending['resolve'], reject });
      if (this.#unsent.length === 0) queueMicrotask(() => this.#send());
      this.#unsent.push({ id, verb, args });
    });
  }

  /** From here on the thread tells of this event. */
  listen(name: TransportEventName): void {
    if (this.#over || name === 'closed') return;
    this.#send();
    this.#post({ listen: name });
  }

  close(): Promise<void> {
    if (!this.#over) {
      this.#send();
      this.#over = new TransportClosed();
      this.#worker.ref();
      this.#post({ close: true });
    }
    return this.#exited;
  }

  /** One message for all calls made in the same turn: posting costs more than most of what is posted. */
  #send(): void {
    if (this.#unsent.length === 0) return;
    this.#post({ calls: this.#unsent });
    this.#unsent = [];
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromThread): void {
    if ('opened' in message) return;
    if ('failed' in message) {
      this.#end(fromErrorData(message.failed));
      return;
    }
    for (const { name, detail } of message.events) this.#emitter.emit(name, detail as never);
    for (const answer of message.answers) {
      const pending = this.#pending.get(answer.id);
      this.#pending.delete(answer.id);
      if ('error' in answer) pending?.reject(fromErrorData(answer.error));
      else pending?.resolve(answer.value);
    }
    if (this.#pending.size === 0 && !this.#over) this.#worker.unref();
  }

  /** The thread has ended: everything in flight is rejected, and what comes later says why. Once; a close is no error. */
  #end(error: LeaseholdError, later: LeaseholdError = error): void {
    if (this.#ended) return;
    this.#ended = true;
    const bidden = this.#over !== undefined;
    this.#over ??= later;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#unsent = [];
    this.#emitter.emit('closed', { error: bidden ? null : error });
  }

  #crash(why: string, cause?: unknown): void {
    const error = new LeaseholdError(
      'THREAD_FAILED',
      `The queue's thread ended: ${why}. What was in flight may or may not have been committed; open a new transport.`,
      { cause },
    );
    this.#end(error, new TransportClosed(`This transport is closed: ${error.message}`, { cause: error }));
  }
}

/** The thread's file has this module's ending: `.ts` as written, `.js` as built. */
function besideThisModule(): URL {
  return new URL(`./async-thread${extname(fileURLToPath(import.meta.url))}`, import.meta.url);
}
