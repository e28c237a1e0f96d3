/** The near side of a thread that answers calls: sends them in order, many a message, and settles their promises. */
import { Worker } from 'node:worker_threads';
import { BadArgument, fromErrorData, LeaseholdError, TransportClosed } from '../contract/errors.ts';
import type { Answers, FromThread, ThreadCall, ToldEvent, ToThread } from './protocol.ts';

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export interface ThreadListener {
  /** Something that the thread was asked to tell of. */
  told(event: ToldEvent): void;
  /** The thread has ended: null after a close, else why. Called once. */
  ended(error: LeaseholdError | null): void;
}

/** Verb: the names of the calls that the thread answers. */
export class RpcClient<Verb extends string> {
  readonly #worker: Worker;
  readonly #listener: ThreadListener;
  /** Calls on the thread without an answer, oldest first: answers come in the order of the calls. */
  #pending: Pending[] = [];
  /** How many of those are answered already: dropping them one by one from the front would move all the others. */
  #answered = 0;
  readonly #exited: Promise<void>;
  #unsent: { call: ThreadCall<Verb>; pending: Pending }[] = [];
  /** What further calls are rejected with; undefined while open. */
  #over: LeaseholdError | undefined;
  #ended = false;

  /** Starts `file` with `start` as its workerData. */
  constructor(file: string | URL, start: unknown, listener: ThreadListener) {
    this.#listener = listener;
    this.#worker = new Worker(file, { workerData: start });
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

  call<T>(verb: Verb, ...args: readonly unknown[]): Promise<T> {
    if (this.#over) return Promise.reject(this.#over);
    return new Promise<T>((resolve, reject) => {
      if (this.#isIdle) this.#worker.ref();
      if (this.#unsent.length === 0) queueMicrotask(() => this.#send());
      this.#unsent.push({
        call: [verb, ...args],
        pending: { resolve: resolve as Pending['resolve'], reject },
      });
    });
  }

  /** From here on the thread tells of this event. */
  listen(name: string): void {
    if (this.#over) return;
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

  get #isIdle(): boolean {
    return this.#pending.length === 0 && this.#unsent.length === 0;
  }

  /** One message for all calls made in the same turn: posting costs more than most of what is posted. */
  #send(): void {
    const calls = this.#unsent;
    this.#unsent = [];
    if (calls.length === 0) return;
    try {
      this.#post({ calls: calls.map(({ call }) => call) });
      for (const { pending } of calls) this.#pending.push(pending);
    } catch {
      // Something in them cannot cross to a thread: it is one call's own error.
      for (const { call, pending } of calls) this.#sendAlone(call, pending);
    }
  }

  #sendAlone(call: ThreadCall<Verb>, pending: Pending): void {
    try {
      this.#post({ calls: [call] });
      this.#pending.push(pending);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      pending.reject(
        new BadArgument(`An argument of ${call[0]} cannot cross to a thread: ${why}`, { cause: error }),
      );
      if (this.#isIdle) this.#worker.unref();
    }
  }

  #post(message: ToThread<Verb>): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromThread): void {
    if ('failed' in message) {
      this.#end(fromErrorData(message.failed));
      return;
    }
    for (const event of message.events) this.#listener.told(event);
    this.#settle(message.answers);
    if (this.#isIdle && !this.#over) this.#worker.unref();
  }

  #settle({ values, errors }: Answers): void {
    const first = this.#answered;
    const failed = new Map(errors);
    for (const [place, value] of values.entries()) {
      const error = failed.get(place);
      const pending = this.#pending[first + place];
      if (error) pending?.reject(fromErrorData(error));
      else pending?.resolve(value);
    }
    this.#answered += values.length;
    if (this.#answered * 2 >= this.#pending.length) {
      this.#pending = this.#pending.slice(this.#answered);
      this.#answered = 0;
    }
  }

  /** The thread has ended: everything in flight is rejected, and what comes later says why. Once; a close is no error. */
  #end(error: LeaseholdError, later: LeaseholdError = error): void {
    if (this.#ended) return;
    this.#ended = true;
    const bidden = this.#over !== undefined;
    this.#over ??= later;
    for (const { reject } of this.#pending.slice(this.#answered)) reject(error);
    for (const { pending } of this.#unsent) pending.reject(error);
    this.#pending = [];
    this.#answered = 0;
    this.#unsent = [];
    this.#listener.ended(bidden ? null : error);
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
