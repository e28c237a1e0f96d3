/** For verbs that may answer at once: waiting for a value that is there already would cost a turn each time. */
import type { Awaitable } from './transport.ts';

export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return value instanceof Promise;
}
