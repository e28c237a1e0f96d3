/**
 * Calls to a thread: one message to ask, one to answer, each with a number. An AbortSignal does not survive a message,
 * so a call that is given one sends a third message when it fires.
 */
import type { MessagePort, Worker } from 'node:worker_threads';

type Request =
  | { readonly id: number; readonly method: string; readonly args: readonly unknown[] }
  | { readonly id: number; readonly abort: true };

interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a table of methods of any kind, checked where it is called
type Methods = Record<string, (signal: AbortSignal, ...args: any[]) => unknown>;

/** Answers calls in the thread. Each method gets the caller's signal before its arguments. */
export function serveCalls(port: MessagePort, methods: Methods): void {
  const running = new Map<number, AbortController>();
  port.on('message', async (request: Request) => {
    const { id } = request;
    if ('abort' in request) {
      running.get(id)?.abort();
      return;
    }
    const controller = new AbortController();
    running.set(id, controller);
    let reply: Reply;
    try {
      reply = { id, value: await methods[request.method]?.(controller.signal, ...request.args) };
    } catch (error) {
      reply = { id, error: error instanceof Error ? error.message : String(error) };
    }
    running.delete(id);
    port.postMessage(reply);
  });
}

/** A person reads it in the inspector, where a trace through the calls to a thread says nothing. */
function withoutTrace(message: string): Error {
  const error = new Error(message);
  error.stack = `${error.name}: ${message}`;
  return error;
}

type ArgumentsOf<Method> = Method extends (signal: AbortSignal, ...args: infer Args) => unknown
  ? Args
  : never;
type AnswerOf<Method> = Method extends (...args: never[]) => infer Result ? Awaited<Result> : never;

/** The calling side. When the thread ends, every open call rejects, and every later one. */
export class Calls<M extends Methods> {
  readonly #worker: Worker;
  readonly #open = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #lastId = 0;
  /** Why no call is answered any more. */
  #ended: Error | null = null;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', ({ id, value, error }: Reply) => {
      const call = this.#open.get(id);
      this.#open.delete(id);
      if (error === undefined) call?.resolve(value);
      else call?.reject(withoutTrace(error));
    });
    worker.on('error', (error) => this.#end(error as Error));
    worker.on('exit', () => this.#end(new Error('The indexing thread has ended.')));
  }

  call<Name extends keyof M & string>(
    method: Name,
    args: ArgumentsOf<M[Name]>,
    signal?: AbortSignal,
  ): Promise<AnswerOf<M[Name]>> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = ++this.#lastId;
    const abort = () => this.#worker.postMessage({ id, abort: true } satisfies Request);
    return new Promise<AnswerOf<M[Name]>>((resolve, reject) => {
      this.#open.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#worker.postMessage({ id, method, args } satisfies Request);
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    }).finally(() => signal?.removeEventListener('abort', abort));
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }
}
