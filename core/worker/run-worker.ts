import { BadArgument } from '../contract/errors.ts';
import type { Transport } from '../contract/transport.ts';
import { readable, show } from '../validate/checks.ts';
import { makeDispatch } from './contract/dispatch.ts';
import { readOptions } from './contract/worker-options.ts';
import type { Handler, Handlers, Worker, WorkerOptions } from './contract/worker-types.ts';
import { QueueWorker } from './worker.ts';

/** What a worker calls. */
const CALLS: readonly (keyof Transport)[] = [
  'claimMany',
  'ackAndClaimMany',
  'countAttempt',
  'ack',
  'nack',
  'bury',
  'extend',
  'nextExpiry',
  'dataVersion',
  'holders',
  'release',
  'releaseNow',
  'on',
  'off',
];

function checkTransport(value: unknown): void {
  const transport = value as Partial<Transport> | null | undefined;
  const isTransport = readable('The transport', () =>
    CALLS.every((call) => typeof transport?.[call] === 'function'),
  );
  if (!isTransport) throw new BadArgument(`runWorker takes a transport first, not ${show(transport)}.`);
  if (transport?.isReadonly)
    throw new BadArgument(
      'runWorker takes a transport that writes, and this one was opened with readonly: no message could be claimed. Open it without readonly.',
    );
}

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
  checkTransport(transport);
  return new QueueWorker(transport, makeDispatch(handler), readOptions(options));
}
