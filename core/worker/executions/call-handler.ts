/** Calls a handler and turns whatever it returns or throws into one result. */
import { Bury, Park } from '../contract/outcome.ts';
import type { Handler, HandlerContext, Message } from '../contract/worker-types.ts';

/** A Park or a Bury counts as thrown, also when it was returned. */
export type HandlerResult = { readonly threw: false } | { readonly threw: true; readonly error: unknown };

const RETURNED: HandlerResult = { threw: false };

export function isFailure(result: HandlerResult): boolean {
  return result.threw && !isDecision(result.error);
}
/** `done` gets the result: before this returns when the handler is synchronous, and else when its promise has settled. */
export function callHandler<E>(
  handler: Handler<E>,
  message: Message<E>,
  context: HandlerContext,
  done: (result: HandlerResult) => void,
): void {
  let value: unknown;
  try {
    value = handler(message, context);
  } catch (error) {
    done({ threw: true, error });
    return;
  }
  if (isThenable(value))
    Promise.resolve(value).then(
      (resolved) => done(resultOf(resolved)),
      (error) => done({ threw: true, error }),
    );
  else done(resultOf(value));
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
