import { BadArgument } from '../contract/errors.ts';
import type { Transport } from '../contract/transport.ts';
import { show } from '../validate/checks.ts';
import { makeDispatch } from './contract/dispatch.ts';
import { readOptions } from './contract/worker-options.ts';
import type { Handler, Handlers, Worker, WorkerOptions } from './contract/worker-types.ts';
import { QueueWorker } from './worker.ts';

/**
 * Runs a handler for every message of a queue until it is stopped. It starts in the next round of the event loop.
 *
 * When the handler returns, its message is acked. When it throws, the message is retried after a backoff, and buried after
 * the last attempt. Raises BadArgument for an option that is misspelled or out of range. An idle worker does not keep a
 * Node process alive.
 */
export function runWorker<E, Field extends string = 'kind'>(
  transport: Transport<E>,
  handler: Handler<E> | Handlers<E, Field>,
  options?: WorkerOptions,
): Worker {
  if (typeof (transport as Transport | undefined)?.ackAndClaimMany !== 'function')
    throw new BadArgument(`runWorker takes a transport first, not ${show(transport)}.`);
  return new QueueWorker(transport, makeDispatch(handler), readOptions(options));
}
