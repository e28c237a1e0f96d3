/**
 * The messages between a thread or process and its client: plain data, many calls and many answers in one message.
 *
 * Both sides count the calls in the order of sending, from 0, so a call carries no number. Answers to consecutive calls
 * carry the number of the first one. Only an asynchronous method's answer and an abort name a single call. A number in
 * every call would need one more object for each, and cloning that cost as much as the rest of a publish.
 */
import type { MessagePort } from 'node:worker_threads';
import type { ErrorData } from './error-data.ts';

/**
 * Two parallel arrays, so that no array for each call has to be cloned. `sentAt` is a time of systemClock.monotonic: it counts from
 * the start of the machine, so that threads and processes share it.
 */
export interface Calls {
  readonly methods: readonly string[];
  readonly arguments: readonly unknown[];
  readonly sentAt: number;
}

export type ToThread =
  | Calls
  /** The caller's signal has fired: abort the call with this number. */
  | { readonly abort: number; readonly reason: ErrorData }
  | CallNow
  /** Start or stop sending an event. */
  | { readonly subscribe: string }
  | { readonly unsubscribe: string }
  | { readonly close: true };

/** One call whose caller blocks until `answered` is 1, and then reads a NowAnswer from the other end of `port`. */
export interface CallNow {
  readonly now: string;
  readonly argument: unknown;
  readonly port: MessagePort;
  readonly answered: Int32Array;
  readonly sentAt: number;
}

export type NowAnswer = { readonly value: unknown } | { readonly error: ErrorData };

/** The answers to consecutive calls, by index. */
export interface Answers {
  /** The number of the first call. */
  readonly first: number;
  readonly values: readonly unknown[];
  /** Calls that failed; their value is undefined. */
  readonly errors: readonly (readonly [index: number, error: ErrorData])[];
  /** Calls of asynchronous methods, which are answered later; their value is undefined. */
  readonly pending: readonly number[];
}

export interface ThreadEvent {
  readonly name: string;
  readonly detail: unknown;
}

export type FromThread =
  /** The thread could not start; it answers no call. */
  | { readonly failed: ErrorData }
  /** Events were emitted before the answers. */
  | { readonly events: readonly ThreadEvent[]; readonly answers: Answers | null };
