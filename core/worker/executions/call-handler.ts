/** Calls a handler and turns whatever it returns or throws into one result. */
import { Bury, Park } from '../contract/outcome.ts';
import type { Handler, HandlerContext, Message } from '../contract/worker-types.ts';

/** A Park or a Bury counts as thrown, also when it was returned. */
export type HandlerResult = { readonly threw: false } | { readonly threw: true; readonly error: unknown };

const RETURNED: HandlerResult = { threw: false };

/** Calls `done` with the result: before it returns when the handler is synchronous, else when its promise has settled. */
export function callHandler<E>(
  handler: Handler<E>,
  message: Message<E>,
  context: HandlerContext,
  done: (result: HandlerResult) => void,
): void {
  let value: unknown;
  let isPending: boolean;
  try {
    value = handler(message, context);
    // Here, because reading `then` may throw as well.
    isPending = isThenable(value);
  } catch (error) {
    done({ threw: true, error });
    return;
  }
  if (isPending)
    Promise.resolve(value).then(
      (resolved) => done(resultOf(resolved)),
      (error) => done({ threw: true, error }),
    );
  else done(resultOf(value));
}

export function isFailure(result: HandlerResult): boolean {
  return result.threw && !isDecision(result.error);
}

function resultOf(value: unknown): HandlerResult {
  return isDecision(value) ? { threw: true, error: value } : RETURNED;
}

function isDecision(value: unknown): value is Park | Bury {
  return value instanceof Park || value instanceof Bury;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}
