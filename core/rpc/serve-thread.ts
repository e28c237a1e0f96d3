/** serveThread: answers a ThreadClient's calls with a table of methods. */
import { parentPort } from 'node:worker_threads';
import { BadArgument } from '../contract/errors.ts';
import { show } from '../validate/checks.ts';
import { answerEach, type Call, type Results, type Service, serve } from './server.ts';
import type { ThreadCallContext, ThreadMethods } from './thread-types.ts';

/** Called when the last call is answered. The thread ends when the returned promise, if any, has settled. */
export type OnThreadClose = () => unknown;

/**
 * Answers the calls of the ThreadClient that started this thread. Call it once, at the top level of the thread's file.
 * Methods may be asynchronous: each call is answered when its method settles. An error that is thrown before serveThread is
 * called ends the thread, and the client's calls reject with THREAD_FAILED and that error as cause. Raises BAD_ARGUMENT
 * outside of a worker thread.
 */
export function serveThread(methods: ThreadMethods, onClose?: OnThreadClose): void {
  if (!parentPort)
    throw new BadArgument(
      'serveThread works only in a thread that a ThreadClient has started. Call it in the file of that thread.',
    );
  serve(() => new MethodService(methods, onClose));
}

class MethodService implements Service {
  readonly #methods: ThreadMethods;
  readonly #onClose: OnThreadClose | undefined;
  /** Asynchronous calls in progress: a synchronous one is over before an abort can arrive. */
  readonly #running = new Map<number, Context>();

  constructor(methods: ThreadMethods, onClose: OnThreadClose | undefined) {
    this.#methods = methods;
    this.#onClose = onClose;
  }

  answer(calls: readonly Call[], first: number): Results {
    return answerEach(calls, (method, argument, index) => this.#run(method, argument, first + index));
  }

  abort(number: number, reason: Error): void {
    this.#running.get(number)?.abort(reason);
  }

  close(): unknown {
    return this.#onClose?.();
  }

  #run(name: string, argument: unknown, number: number): unknown {
    const method = Object.hasOwn(this.#methods, name) ? this.#methods[name] : undefined;
    if (typeof method !== 'function')
      throw new BadArgument(
        `The thread has no method ${show(name)}; it has: ${Object.keys(this.#methods).join(', ')}.`,
      );
    const context = new Context();
    const value = method.call(this.#methods, argument, context);
    if (typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then !== 'function') return value;
    this.#running.set(number, context);
    return Promise.resolve(value).finally(() => this.#running.delete(number));
  }
}

/** Makes its signal only when a method asks for it: an AbortController costs more than a small call. */
class Context implements ThreadCallContext {
  #controller: AbortController | undefined;
  #reason: Error | undefined;

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}
