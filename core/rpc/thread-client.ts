/** ThreadClient: calls the methods that a thread of the app serves with serveThread. */
import type { WorkerOptions } from 'node:worker_threads';
import { RpcClient } from './client.ts';
import { startThread } from './thread-file.ts';
import type { ThreadCallArguments, ThreadMethod, ThreadMethods } from './thread-types.ts';

/**
 * Runs a file on a worker thread and calls its methods: the place for a handler's heavy work. `Methods` is the type of the
 * table that the file gives to serveThread.
 *
 * An idle thread does not keep the process alive; a call in progress does. If the thread ends by itself, calls in progress
 * reject with THREAD_FAILED and later calls with CLOSED; there is no automatic restart.
 */
export class ThreadClient<Methods extends { [Name in keyof Methods]: ThreadMethod } = ThreadMethods> {
  readonly #rpc: RpcClient<keyof Methods & string>;

  /** `file` and `options` are those of `new Worker` in node:worker_threads. The client owns the thread. */
  constructor(file: string | URL, options: WorkerOptions = {}) {
    this.#rpc = new RpcClient(startThread(file, options), { owner: 'ThreadClient' });
  }

  /**
   * Calls a method and resolves with what it returns. Calls start in the order in which they were made.
   *
   * When the signal fires, the method's own signal fires in the thread, and the call settles as the method does; a call
   * whose signal has fired before rejects with the signal's reason and does not reach the thread. Rejects with what the
   * method throws (class, code, stack and causes are kept; a value that is not an Error becomes UNEXPECTED), with
   * BAD_ARGUMENT when the argument or the returned value cannot be cloned, with THREAD_FAILED and with CLOSED.
   */
  call<Name extends keyof Methods & string>(
    method: Name,
    ...[argument, options]: ThreadCallArguments<Methods[Name]>
  ): Promise<Awaited<ReturnType<Methods[Name]>>> {
    return this.#rpc.call(method, argument, options?.signal);
  }

  /** Lets the calls in progress finish, runs the thread's onClose and ends the thread. Idempotent. */
  close(): Promise<void> {
    return this.#rpc.close();
  }

  /** Ends the thread at once, even during a call; calls in progress reject with CLOSED. */
  terminate(): Promise<void> {
    return this.#rpc.terminate();
  }
}
