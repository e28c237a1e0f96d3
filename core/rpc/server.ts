/** The side of the thread or process: receives calls, lets a service answer them, and sends the answers. */
import { asLeaseholdError, BadArgument, describeThrown, isInstance } from '../contract/errors.ts';
import { type ErrorData, fromErrorData, toErrorData } from './error-data.ts';
import { openParentPort, type ParentPort } from './parent-port.ts';
import type { Answers, CallNow, FromThread, NowAnswer, ThreadEvent, ToThread } from './protocol.ts';
import type { Call, Emit, Fail, Service } from './service.ts';

/** Limits the time until an answer: with a group commit, to some tens of milliseconds. */
const MAX_CALLS = 1000;

/** Serves the client that started this thread or process. What `open` throws rejects every call of the client. */
export function serve<Method extends string>(open: (emit: Emit, fail: Fail) => Service<Method>): void {
  const server = new Server<Method>(openParentPort());
  try {
    server.start(open(server.emit, server.fail));
  } catch (error) {
    server.fail(error);
  }
}

class Server<Method extends string> {
  readonly #port: ParentPort;
  #service!: Service<Method>;
  /** How many calls the service has taken: the number of the next one. */
  #count = 0;
  #events: ThreadEvent[] = [];
  #isAnswering = false;
  #failure: { readonly error: unknown } | undefined;
  /** Asynchronous calls in progress. */
  readonly #pending = new Set<Promise<void>>();

  constructor(port: ParentPort) {
    this.#port = port;
  }

  readonly emit: Emit = (event) => {
    this.#events.push(event);
    if (!this.#isAnswering) this.#post(null);
  };

  readonly fail: Fail = (error) => {
    this.#failure ??= { error };
    if (!this.#isAnswering) this.#postFailure();
  };

  start(service: Service<Method>): void {
    this.#service = service;
    this.#port.onMessage((message) => this.#receive(message as ToThread));
  }

  /** Takes all messages that have arrived, in order: calls of several messages are answered together. */
  #receive(first: ToThread): void {
    let calls: Call<Method>[] = [];
    for (let message: ToThread | undefined = first; message; message = this.#next()) {
      if ('methods' in message) {
        for (const [index, method] of message.methods.entries())
          calls.push([method as Method, message.arguments[index], message.sentAt]);
        if (calls.length >= MAX_CALLS) break;
      } else {
        this.#answer(calls);
        calls = [];
        this.#handle(message);
      }
    }
    this.#answer(calls);
  }

  #next(): ToThread | undefined {
    return this.#port.next() as ToThread | undefined;
  }

  #handle(message: Exclude<ToThread, { methods: readonly string[] }>): void {
    if ('now' in message) this.#answerNow(message);
    else if ('abort' in message) this.#service.abort?.(message.abort, fromErrorData(message.reason));
    else if ('subscribe' in message) this.#service.subscribe?.(message.subscribe);
    else if ('unsubscribe' in message) this.#service.unsubscribe?.(message.unsubscribe);
    else void this.#close();
  }

  /** The calls that came before are answered, and so committed. */
  #answerNow({ now, argument, port, answered, sentAt }: CallNow): void {
    const { values, errors } = this.#service.answer([[now as Method, argument, sentAt]], this.#count);
    const [failed] = errors;
    const answer: NowAnswer = failed ? { error: toErrorData(failed[1]) } : { value: values[0] };
    port.postMessage(answer);
    Atomics.store(answered, 0, 1);
    Atomics.notify(answered, 0);
  }

  #answer(calls: readonly Call<Method>[]): void {
    for (let start = 0; start < calls.length; )
      start += this.#answerTogether(calls.slice(start, start + MAX_CALLS));
  }

  /** Returns how many of the calls are answered. */
  #answerTogether(calls: readonly Call<Method>[]): number {
    const first = this.#count;
    this.#isAnswering = true;
    const { values, errors } = this.#service.answer(calls, first);
    this.#isAnswering = false;
    this.#count += values.length;
    const pending: number[] = [];
    for (const [index, value] of values.entries()) {
      if (!isInstance(value, Promise)) continue;
      values[index] = undefined;
      pending.push(index);
      this.#answerLater(first + index, value);
    }
    const failed = errors.map(([index, error]) => [index, toErrorData(error)] as const);
    this.#postAnswers({ first, values, errors: failed, pending });
    if (this.#failure) this.#postFailure();
    return values.length;
  }

  #answerLater(number: number, value: Promise<unknown>): void {
    const answered: Promise<void> = value
      .then(
        (result) => this.#postValue(number, result),
        (error) => this.#postError(number, toErrorData(error)),
      )
      .finally(() => this.#pending.delete(answered));
    this.#pending.add(answered);
  }

  #postAnswers(answers: Answers): void {
    try {
      this.#post(answers);
    } catch {
      this.#postOneByOne(answers);
    }
  }

  /** One of the values cannot be cloned: only that call fails. */
  #postOneByOne({ first, values, errors, pending }: Answers): void {
    const failed = new Map(errors);
    for (const [index, value] of values.entries()) {
      const error = failed.get(index);
      if (error) this.#postError(first + index, error);
      else if (!pending.includes(index)) this.#postValue(first + index, value);
    }
  }

  #postValue(number: number, value: unknown): void {
    try {
      this.#post({ first: number, values: [value], errors: [], pending: [] });
    } catch (cause) {
      const message = `The method's result cannot be sent to the caller's thread: ${describeThrown(cause)}`;
      this.#postError(number, toErrorData(new BadArgument(message, { cause })));
    }
  }

  #postError(number: number, error: ErrorData): void {
    this.#post({ first: number, values: [undefined], errors: [[0, error]], pending: [] });
  }

  #post(answers: Answers | null): void {
    this.#port.postMessage({ events: this.#events, answers } satisfies FromThread);
    this.#events = [];
  }

  #postFailure(): void {
    const failed = toErrorData(asLeaseholdError(this.#failure?.error));
    this.#port.postMessage({ failed } satisfies FromThread);
    this.#port.close();
  }

  async #close(): Promise<void> {
    this.#service.closing?.();
    await Promise.all(this.#pending);
    await this.#service.close();
    this.#port.exit();
  }
}
