/** What a thread or process does for its client: the calls that have arrived, and what became of them. */
import type { ThreadEvent } from './protocol.ts';

/** `sentAt`: by systemClock.monotonic. It never decreases from one call to the next. */
export type Call<Method extends string = string> = readonly [
  method: Method,
  argument: unknown,
  sentAt: number,
];

/** What became of the first calls, at least of one, by their index. */
export interface Results {
  /** A promise is awaited, and its call answered when it settles. */
  readonly values: unknown[];
  readonly errors: (readonly [index: number, error: unknown])[];
}

/** What a thread does. */
export interface Service<Method extends string = string> {
  /**
   * Runs the calls that have arrived, at most a thousand, or only the first of them: their answers leave at once, and it is
   * called again with the others. `first` is the number of the first one.
   */
  answer(calls: readonly Call<Method>[], first: number): Results;
  /** The caller's signal has fired. The call may have been answered already. */
  abort?(number: number, reason: Error): void;
  subscribe?(event: string): void;
  unsubscribe?(event: string): void;
  /** Called once, before `close`: the client waits for the calls that are still open. */
  closing?(): void;
  /** Called once, when every call made before the client's close is answered. The thread then exits. */
  close(): unknown;
}

/** Sends an event to the client: at once, or with the answers of the running calls. */
export type Emit = (event: ThreadEvent) => void;

/** Ends the thread: calls that are not answered yet, and all further calls of the client, reject with the error. */
export type Fail = (error: unknown) => void;

/**
 * Runs each call; an error fails only its own call. An error that `onError` throws fails the whole batch: answerEach raises
 * it.
 */
export function answerEach<Method extends string>(
  calls: readonly Call<Method>[],
  run: (method: Method, argument: unknown, index: number) => unknown,
  onError?: (error: unknown) => void,
): Results {
  const values: unknown[] = [];
  const errors: [number, unknown][] = [];
  for (const [index, [method, argument]] of calls.entries()) {
    try {
      values.push(run(method, argument, index));
    } catch (error) {
      onError?.(error);
      values.push(undefined);
      errors.push([index, error]);
    }
  }
  return { values, errors };
}

export const firstSentAt = (calls: readonly Call[]): number => (calls[0] as Call)[2];

/** The calls of the first message: one that fails because its time is over need not wait for calls that were sent later. */
export function sentWithFirst<Method extends string>(
  calls: readonly Call<Method>[],
): readonly Call<Method>[] {
  const later = calls.findIndex(([, , sentAt]) => sentAt !== firstSentAt(calls));
  return later < 0 ? calls : calls.slice(0, later);
}

/** The results when all calls fail with one error. */
export function failAll(calls: readonly Call[], error: unknown): Results {
  return { values: calls.map(() => undefined), errors: calls.map((_, index) => [index, error] as const) };
}
