/** serveThread: answers a ThreadClient's calls with a table of methods. */
import { parentPort } from 'node:worker_threads';
import { BadArgument } from '../contract/errors.ts';
import { show } from '../validate/checks.ts';
import { serve } from './server.ts';
import { answerEach, type Service } from './service.ts';
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
  serve(() => methodService(methods, onClose));
}

function methodService(methods: ThreadMethods, onClose: OnThreadClose | undefined): Service {
  /** Asynchronous calls in progress: a synchronous one is over before an abort can arrive. */
  const running = new Map<number, Context>();

  function run(name: string, argument: unknown, number: number): unknown {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (typeof method !== 'function')
      throw new BadArgument(
        `The thread has no method ${show(name)}; it has: ${Object.keys(methods).join(', ')}.`,
      );
    const context = new Context();
    const value = method.call(methods, argument, context);
    if (typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then !== 'function') return value;
    running.set(number, context);
    return settled(value, number);
  }

  /** `await` uses no method of a promise that may be overridden. */
  async function settled(value: unknown, number: number): Promise<unknown> {
    try {
      return await value;
    } finally {
      running.delete(number);
    }
  }

  return {
    answer: (calls, first) =>
      answerEach(calls, (name, argument, index) => run(name, argument, first + index)),
    abort: (number, reason) => running.get(number)?.abort(reason),
    close: () => onClose?.(),
  };
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
