/**
 * Calls a handler and turns whatever it returns or throws into one result. Here alone a value of the handler's is touched: it
 * may be a Proxy that raises at every look, or a promise with a `then` of its own.
 */
import type { Lease } from '../../contract/transport.ts';
import { type Decision, readDecision } from '../contract/outcome.ts';
import type { Handler, HandlerContext, Message } from '../contract/worker-types.ts';

/** `decided`: a Park or a Bury, thrown or returned. */
export type HandlerResult =
  | { readonly kind: 'returned' }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'decided'; readonly decision: Decision };

const RETURNED: HandlerResult = { kind: 'returned' };

/** Calls `done` once: before it returns when the handler is synchronous, else when its promise has settled. */
export function callHandler<E>(
  handler: Handler<E>,
  lease: Lease<E>,
  context: HandlerContext,
  done: (result: HandlerResult) => void,
): void {
  let value: unknown;
  let isPending: boolean;
  try {
    value = handler(messageOf(lease), context);
    isPending = isThenable(value);
  } catch (error) {
    done(thrown(error));
    return;
  }
  if (isPending) void whenSettled(value, done);
  else done(returned(value));
}

/** A copy: what a handler writes on its message changes no lease. */
function messageOf<E>({ seq, groupId, event, attempt, publishedAt, lastError }: Lease<E>): Message<E> {
  return { seq, groupId, event, attempt, publishedAt, lastError };
}

function isThenable(value: unknown): boolean {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}

/** `await` settles once, whatever the value's `then` does, and uses no method of a promise that may be overridden. */
async function whenSettled(value: unknown, done: (result: HandlerResult) => void): Promise<void> {
  let result: HandlerResult;
  try {
    result = returned(await value);
  } catch (error) {
    result = thrown(error);
  }
  done(result);
}

function returned(value: unknown): HandlerResult {
  return decided(value) ?? RETURNED;
}

function thrown(error: unknown): HandlerResult {
  return decided(error) ?? { kind: 'threw', error };
}

/** A decision with impossible fields counts as a failure: neither an ack nor a guess would be what its author wants. */
function decided(value: unknown): HandlerResult | null {
  try {
    const decision = readDecision(value);
    return decision && { kind: 'decided', decision };
  } catch (error) {
    return { kind: 'threw', error };
  }
}
