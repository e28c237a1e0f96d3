import { BadArgument } from '../contract/errors.ts';
import type { Transport } from '../contract/transport.ts';
import { show } from '../validate/checks.ts';
import { makeDispatch } from './contract/dispatch.ts';
import { readOptions } from './contract/worker-options.ts';
import type { Handler, Handlers, Worker, WorkerOptions } from './contract/worker-types.ts';
import { QueueWorker } from './worker.ts';

/**
 * Runs a handler for every message of a queue until stopped; it starts in the next turn of the event loop.
 *
 * A handler that returns has its message acked; one that throws has it tried again after a backoff, and buried after the
 * last attempt. Errors: BadArgument for an option that is misspelled or out of range. A sleeping worker does not keep a
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
