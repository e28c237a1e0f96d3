/**
 * For calls that may answer at once or by a promise. Each helper continues synchronously when the result is there: an
 * `await` would cost a microtask for every call of a synchronous transport, and it would let other code run in between.
 */
import type { Awaitable } from './transport.ts';

/**
 * Runs `call`, then `ok` with its result or `fail` with its error. `waited` is true when the result came by a promise,
 * so that the event loop ran meanwhile. As with `then`, what `ok` throws does not reach `fail`. Without `fail` the error
 * is raised.
 */
export function whenDone<T, R>(
  call: () => Awaitable<T>,
  ok: (value: T, waited: boolean) => Awaitable<R>,
  fail?: (error: unknown) => Awaitable<R>,
): Awaitable<R> {
  let result: Awaitable<T>;
  try {
    result = call();
  } catch (error) {
    if (!fail) throw error;
    return fail(error);
  }
  return result instanceof Promise ? result.then((value) => ok(value, true), fail) : ok(result, false);
}

/** Runs the steps one after another. An error ends it and is raised. */
export function inOrder(steps: readonly (() => Awaitable<void>)[], first = 0): Awaitable<void> {
  for (let at = first; at < steps.length; at++) {
    const result = steps[at]?.();
    if (result instanceof Promise) return result.then(() => inOrder(steps, at + 1));
  }
}

/**
 * Calls `call` for each item and waits for all of them. An error thrown at once ends the round: with a synchronous
 * transport each further call may wait for the same busy file. The first error is raised when every promise has settled.
 */
export function forEachDone<T>(items: Iterable<T>, call: (item: T) => Awaitable<void>): Awaitable<void> {
  const pending: Promise<void>[] = [];
  try {
    for (const item of items) {
      const result = call(item);
      if (result instanceof Promise) pending.push(result);
    }
  } catch (error) {
    if (pending.length === 0) throw error;
    pending.push(Promise.reject(error));
  }
  if (pending.length > 0) return allSettled(pending);
}

async function allSettled(pending: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(pending))
    if (result.status === 'rejected') throw result.reason;
}
