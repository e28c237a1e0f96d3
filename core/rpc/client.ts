/** The calling side of a thread or process: sends calls in order, many in one message, and settles their promises. */
import { MessageChannel, receiveMessageOnPort, type TransferListItem } from 'node:worker_threads';
import { systemClock } from '../contract/clock.ts';
import { BadArgument, Closed, describeThrown, LeaseholdError } from '../contract/errors.ts';
import { fromErrorData, toErrorData } from './error-data.ts';
import type { Host } from './host.ts';
import type { Answers, FromThread, NowAnswer, ThreadEvent, ToThread } from './protocol.ts';

interface OpenCall {
  readonly method: string;
  readonly argument: unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Its number in the order of sending; UNSENT before that. */
  number: number;
  /** Removes the listener from the caller's signal. */
  removeAbortListener: (() => void) | undefined;
}

const UNSENT = -1;

export interface RpcClientOptions {
  /** What the app opened and has to open again after a failure, for error messages: 'transport'. */
  readonly owner: string;
  /** Where the service runs, for error messages. Default 'thread'. */
  readonly place?: 'thread' | 'process';
  /** What to do after a failure, for error messages. Default: to open a new one. */
  readonly remedy?: string;
  /**
   * The error of the calls when the thread or process ended before it sent anything: `why` is what Node raised or told.
   * Undefined: THREAD_FAILED.
   */
  startError?(why: unknown): Error | undefined;
  onEvent?(event: ThreadEvent): void;
  /** Called once, when the thread has ended: null after a close, else the reason. */
  onEnd?(error: Error | null): void;
}

/**
 * `Method`: the names of the thread's methods. The client owns the host. An idle host does not keep the process
 * alive; one with an open call does.
 */
export class RpcClient<Method extends string> {
  readonly #host: Host;
  readonly #options: RpcClientOptions;
  readonly #exited: Promise<void>;
  #unsent: OpenCall[] = [];
  /** Sent and not answered, by number. */
  readonly #sent = new Map<number, OpenCall>();
  #sentCount = 0;
  /** The error of every further call; undefined while the client is open. */
  #refusal: Error | undefined;
  #hasEnded = false;
  #hasReceived = false;

  constructor(host: Host, options: RpcClientOptions) {
    this.#host = host;
    this.#options = options;
    host.on('message', (message: FromThread) => this.#receive(message));
    // The message is lost, and with it the answers of calls that would otherwise stay open.
    host.on('messageerror', (error) => {
      this.#crash(`an answer could not be read (${error.message})`, error);
      void host.terminate();
    });
    this.#exited = new Promise((resolve, reject) => {
      let closeFailure: Error | undefined;
      host.on('error', (error) => {
        const isClosing = this.#refusal !== undefined && !this.#hasEnded;
        const failure = this.#crash(error instanceof Error ? error.message : String(error), error);
        if (isClosing) closeFailure = failure;
      });
      host.once('exit', (how) => {
        this.#crash(typeof how === 'string' ? how : `it exited with code ${how}`);
        if (closeFailure) reject(closeFailure);
        else resolve();
      });
    });
    host.unref();
  }

  /** A signal that has fired already rejects the call, which is not sent. One that fires later aborts it in the thread. */
  call<T>(method: Method, argument?: unknown, signal?: AbortSignal): Promise<T> {
    if (this.#refusal) return Promise.reject(this.#refusal);
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise<T>((resolve, reject) => {
      const call: OpenCall = {
        method,
        argument,
        resolve: resolve as OpenCall['resolve'],
        reject,
        number: UNSENT,
        removeAbortListener: undefined,
      };
      if (signal) this.#abortWith(signal, call);
      if (this.#isIdle) this.#host.ref();
      if (this.#unsent.push(call) === 1) queueMicrotask(() => this.#send());
    });
  }

  /**
   * Calls a synchronous method after all calls made so far, and blocks until it is answered: the thread works while the
   * caller's event loop does not. Raises the method's error, and BUSY when there is no answer after `timeoutMs`; the call may
   * then still take effect. Only for a thread: a process cannot be waited for in this way.
   */
  callNow<T>(method: Method, argument: unknown, timeoutMs: number): T {
    if (this.#refusal) throw this.#refusal;
    this.#send();
    const { port1, port2 } = new MessageChannel();
    const answered = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    this.#post({ now: method, argument, port: port2, answered, sentAt: systemClock.monotonic() }, [port2]);
    Atomics.wait(answered, 0, 0, timeoutMs);
    const answer: NowAnswer | undefined = receiveMessageOnPort(port1)?.message;
    port1.close();
    if (!answer)
      throw new LeaseholdError(
        'BUSY',
        `The thread of this ${this.#options.owner} did not answer ${method} within ${timeoutMs} ms.`,
      );
    if ('error' in answer) throw fromErrorData(answer.error);
    return answer.value as T;
  }

  subscribe(event: string): void {
    this.#sendAlone({ subscribe: event });
  }

  unsubscribe(event: string): void {
    this.#sendAlone({ unsubscribe: event });
  }

  /**
   * Resolves when the calls made before are answered and the thread has ended; rejects when it failed to close. Idempotent.
   */
  close(): Promise<void> {
    if (!this.#refusal) {
      this.#sendAlone({ close: true });
      this.#refusal = new Closed(`This ${this.#options.owner} is closed. Open a new one.`);
      this.#host.ref();
    }
    return this.#exited;
  }

  /** Ends the thread at once, whatever it is doing; open calls reject with CLOSED. */
  async terminate(): Promise<void> {
    this.#refusal ??= new Closed(`This ${this.#options.owner} is closed. Open a new one.`);
    this.#end(this.#refusal);
    await this.#host.terminate();
  }

  get #isIdle(): boolean {
    return this.#sent.size === 0 && this.#unsent.length === 0;
  }

  #abortWith(signal: AbortSignal, call: OpenCall): void {
    const abort = () => {
      if (call.number !== UNSENT) {
        this.#post({ abort: call.number, reason: toErrorData(signal.reason) });
        return;
      }
      this.#unsent = this.#unsent.filter((other) => other !== call);
      call.reject(signal.reason);
      this.#unrefIfIdle();
    };
    signal.addEventListener('abort', abort, { once: true });
    call.removeAbortListener = () => signal.removeEventListener('abort', abort);
  }

  /** One message for all calls of one turn of the event loop: posting costs more than most of what is posted. */
  #send(): void {
    const calls = this.#unsent;
    this.#unsent = [];
    if (calls.length === 0) return;
    try {
      this.#post({
        methods: calls.map(({ method }) => method),
        arguments: calls.map(({ argument }) => argument),
        sentAt: systemClock.monotonic(),
      });
    } catch (error) {
      if (calls.length > 1) this.#sendOneByOne(calls);
      else this.#refuseArgument(calls[0] as OpenCall, error);
      return;
    }
    for (const call of calls) {
      call.number = this.#sentCount++;
      this.#sent.set(call.number, call);
    }
  }

  /** The argument of one of the calls cannot be cloned: only that call fails. */
  #sendOneByOne(calls: readonly OpenCall[]): void {
    for (const call of calls) {
      this.#unsent.push(call);
      this.#send();
    }
  }

  #refuseArgument(call: OpenCall, cause: unknown): void {
    call.removeAbortListener?.();
    const message = `An argument of ${call.method} cannot be sent to the thread: ${describeThrown(cause)}`;
    call.reject(new BadArgument(message, { cause }));
    this.#unrefIfIdle();
  }

  /** After the calls made so far. */
  #sendAlone(message: ToThread): void {
    if (this.#refusal) return;
    this.#send();
    this.#post(message);
  }

  #post(message: ToThread, transferred: readonly TransferListItem[] = []): void {
    this.#host.postMessage(message, transferred);
  }

  #unrefIfIdle(): void {
    if (this.#isIdle && !this.#refusal) this.#host.unref();
  }

  #receive(message: FromThread): void {
    this.#hasReceived = true;
    if ('failed' in message) {
      const error = fromErrorData(message.failed);
      this.#end(error, error);
      return;
    }
    for (const event of message.events) this.#options.onEvent?.(event);
    if (message.answers) this.#settle(message.answers);
    this.#unrefIfIdle();
  }

  #settle({ first, values, errors, pending }: Answers): void {
    const failed = new Map(errors);
    const unanswered = new Set(pending);
    for (const [index, value] of values.entries()) {
      if (unanswered.has(index)) continue;
      const error = failed.get(index);
      const call = this.#take(first + index);
      if (error) call?.reject(fromErrorData(error));
      else call?.resolve(value);
    }
  }

  #take(number: number): OpenCall | undefined {
    const call = this.#sent.get(number);
    this.#sent.delete(number);
    call?.removeAbortListener?.();
    return call;
  }

  /** The thread has ended: rejects the open calls with `error`, and further calls with `refusal`. */
  #end(error: Error, refusal: Error = error): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const isIntended = this.#refusal !== undefined;
    this.#refusal ??= refusal;
    const open = [...this.#sent.values(), ...this.#unsent];
    this.#sent.clear();
    this.#unsent = [];
    for (const call of open) {
      call.removeAbortListener?.();
      call.reject(error);
    }
    this.#options.onEnd?.(isIntended ? null : error);
  }

  #crash(why: string, cause?: unknown): Error {
    const startError = this.#hasReceived ? undefined : this.#options.startError?.(cause ?? why);
    if (startError) {
      this.#end(startError);
      return startError;
    }
    const { owner, place = 'thread', remedy = `Open a new ${owner}.` } = this.#options;
    const error = new LeaseholdError(
      'THREAD_FAILED',
      `The ${place} of this ${owner} ended: ${why}. A call in progress may or may not have taken effect. ${remedy}`,
      { cause },
    );
    this.#end(error, new Closed(`This ${owner} is closed: ${error.message}`, { cause: error }));
    return error;
  }
}
