import assert from 'node:assert/strict';
import type { Lease, Transport } from '../../contract/transport.ts';
import { type Check, drain, fill, nothing, raises, take, VISIBILITY } from './kit.ts';

const LONE = 'lone \ud800 surrogate';
const NUL = 'nul \0 inside';
// biome-ignore lint/suspicious/noExplicitAny: these calls violate the types, as callers in JavaScript can
type Loose = any;

const NOT_TEXT: unknown[] = [undefined, null, 1, {}, LONE, NUL];
const NOT_MS: unknown[] = [-1, Number.NaN, Number.POSITIVE_INFINITY, '1000', null, {}];
const NOT_PRIORITY: unknown[] = [-1, 5, 1.5, Number.NaN, '2', null, {}, true];
const NOT_KEY: unknown[] = [1, {}, [], true, LONE, NUL];
const NOT_KEYS: unknown[] = ['k', {}, 1, null, [1], [null], [LONE], [NUL]];
const NOT_LIMIT: unknown[] = [-1, 1.5, Number.NaN, '1', null, {}];
const NOT_LEASE: unknown[] = [undefined, null, 1, 'lease', {}, { seq: 1 }];
const NOT_OPTIONS: unknown[] = [1, 'options', true];

function show(value: unknown): string {
  return Number.isNaN(value) ? 'NaN' : (JSON.stringify(value) ?? String(value));
}

/** `call` must raise BAD_ARGUMENT for each of the values and leave the queue as it was. */
function refuses(
  check: Check,
  what: string,
  values: readonly unknown[],
  call: (queue: Loose, value: unknown, lease: Lease) => unknown,
): void {
  check(`${what} raises BAD_ARGUMENT before any write`, async ({ queue }) => {
    await fill(queue, 'g', 1, 2);
    const lease = await take(queue);
    await fill(queue, 'free', 3);
    for (const value of values) {
      await raises('BAD_ARGUMENT', () => call(queue, value, lease), show(value));
    }
    await expectUnchanged(queue, lease);
  });
}

async function expectUnchanged(queue: Transport, lease: Lease): Promise<void> {
  const free = await take(queue);
  assert.deepEqual([free.event, free.attempt], [3, 1]);
  await nothing(queue);
  await queue.ack(lease);
  assert.deepEqual(await drain(queue), [2]);
  assert.deepEqual(await queue.deadLetters(), []);
}

export function argumentContract(check: Check): void {
  refuses(
    check,
    'publish with a group id that is not a well-formed string without NUL',
    NOT_TEXT,
    (queue, value) => queue.publish(value, 1),
  );
  refuses(
    check,
    'publish with a priority that is not a whole number from 0 to 4',
    NOT_PRIORITY,
    (queue, priority) => queue.publish('g', 1, { priority }),
  );
  refuses(check, 'publish with options that inherit a wrong priority', NOT_PRIORITY, (queue, priority) =>
    queue.publish('g', 1, Object.create({ priority })),
  );
  refuses(
    check,
    'publish with a routing key that is not a well-formed string without NUL',
    NOT_KEY,
    (queue, routingKey) => queue.publish('g', 1, { routingKey }),
  );
  refuses(check, 'publish with options that are not an object', NOT_OPTIONS, (queue, value) =>
    queue.publish('g', 1, value),
  );
  refuses(
    check,
    'publishMany with a group id that is not a well-formed string without NUL',
    NOT_TEXT,
    (queue, groupId) =>
      queue.publishMany([
        { groupId: 'new', event: 0 },
        { groupId, event: 1 },
      ]),
  );
  refuses(
    check,
    'publishMany with a priority that is not a whole number from 0 to 4',
    NOT_PRIORITY,
    (queue, priority) =>
      queue.publishMany([
        { groupId: 'new', event: 0 },
        { groupId: 'g', event: 1, priority },
      ]),
  );
  refuses(
    check,
    'publishMany with something other than an array of messages',
    [undefined, null, 1, {}, [null], [1]],
    (queue, value) => queue.publishMany(value),
  );

  refuses(
    check,
    'claim with a worker id that is not a well-formed string without NUL',
    NOT_TEXT,
    (queue, value) => queue.claim(value, VISIBILITY),
  );
  refuses(
    check,
    'claim with the sentinel of parked messages as the worker id',
    ['__parked__'],
    (queue, value) => queue.claim(value, VISIBILITY),
  );
  refuses(check, 'claim with a visibility that is not a duration', NOT_MS, (queue, value) =>
    queue.claim('w', value),
  );
  refuses(
    check,
    'claim with a minPriority that is not a whole number from 0 to 4',
    NOT_PRIORITY,
    (queue, minPriority) => queue.claim('w', VISIBILITY, { minPriority }),
  );
  refuses(
    check,
    'claim with routingKeys that are not an array of well-formed strings without NUL',
    NOT_KEYS,
    (queue, routingKeys) => queue.claim('w', VISIBILITY, { routingKeys }),
  );
  refuses(check, 'claim with options that are not an object', NOT_OPTIONS, (queue, value) =>
    queue.claim('w', VISIBILITY, value),
  );
  refuses(check, 'claimMany with a limit that is not a whole number from 1', NOT_LIMIT, (queue, value) =>
    queue.claimMany('w', VISIBILITY, value),
  );
  refuses(
    check,
    'claimMany with a worker id that is not a well-formed string without NUL',
    NOT_TEXT,
    (queue, value) => queue.claimMany(value, VISIBILITY, 1),
  );

  refuses(
    check,
    'claimMany with a startNow that is not a whole number from 0',
    NOT_LIMIT,
    (queue, startNow) => queue.claimMany('w', VISIBILITY, 1, { startNow }),
  );
  refuses(
    check,
    'claimMany with maxAttempts that are neither a whole number from 1 nor Infinity',
    [...NOT_LIMIT, 0],
    (queue, maxAttempts) => queue.claimMany('w', VISIBILITY, 1, { maxAttempts }),
  );

  refuses(check, 'ack of something that is not a lease', NOT_LEASE, (queue, value) => queue.ack(value));
  refuses(check, 'nack of something that is not a lease', NOT_LEASE, (queue, value) => queue.nack(value));
  refuses(check, 'extend of something that is not a lease', NOT_LEASE, (queue, value) =>
    queue.extend(value, VISIBILITY),
  );
  refuses(check, 'bury of something that is not a lease', NOT_LEASE, (queue, value) => queue.bury(value));
  refuses(check, 'ackAndClaim of something that is not a lease', NOT_LEASE, (queue, value) =>
    queue.ackAndClaim(value, VISIBILITY),
  );
  refuses(
    check,
    'ackAndClaimMany of something other than an array of leases',
    [undefined, null, {}, [null], [{}]],
    (queue, value) => queue.ackAndClaimMany(value, 'w', VISIBILITY, 1),
  );
  refuses(check, 'nack with a delay that is not a duration', NOT_MS, (queue, value, lease) =>
    queue.nack(lease, value),
  );
  refuses(check, 'nack with an error that is not a string', [1, {}, null], (queue, error, lease) =>
    queue.nack(lease, 0, { error }),
  );
  refuses(
    check,
    'nack with a countAttempt that is not a boolean',
    [1, 'no', null],
    (queue, countAttempt, lease) => queue.nack(lease, 0, { countAttempt }),
  );
  refuses(check, 'extend with a visibility that is not a duration', NOT_MS, (queue, value, lease) =>
    queue.extend(lease, value),
  );
  refuses(check, 'bury with an error that is not a string', [1, {}, null], (queue, error, lease) =>
    queue.bury(lease, { error }),
  );
  refuses(check, 'ackAndClaim with a visibility that is not a duration', NOT_MS, (queue, value, lease) =>
    queue.ackAndClaim(lease, value),
  );
  refuses(
    check,
    'ackAndClaim with a minPriority that is not a whole number from 0 to 4',
    NOT_PRIORITY,
    (queue, minPriority, lease) => queue.ackAndClaim(lease, VISIBILITY, { minPriority }),
  );
  refuses(
    check,
    'ackAndClaimMany with a limit that is not a whole number',
    NOT_LIMIT,
    (queue, value, lease) => queue.ackAndClaimMany([lease], 'w', VISIBILITY, value),
  );
  refuses(
    check,
    'ackAndClaimMany with a worker id that is not a well-formed string without NUL',
    NOT_TEXT,
    (queue, value, lease) => queue.ackAndClaimMany([lease], value, VISIBILITY, 1),
  );

  refuses(check, 'deadLetters with a limit that is not a whole number', NOT_LIMIT, (queue, limit) =>
    queue.deadLetters({ limit }),
  );
  refuses(check, 'deadLetters with an afterId that is not a whole number', NOT_LIMIT, (queue, afterId) =>
    queue.deadLetters({ afterId }),
  );
  refuses(check, 'republish with a seq that is not a whole number', NOT_LIMIT, (queue, value) =>
    queue.republish(value),
  );
  refuses(
    check,
    'nextExpiry with a minPriority that is not a whole number from 0 to 4',
    NOT_PRIORITY,
    (queue, minPriority) => queue.nextExpiry({ minPriority }),
  );
  refuses(
    check,
    'release with something other than an array of worker ids',
    ['w', {}, [1], [null]],
    (queue, value) => queue.release(value),
  );

  const misspelled = [{ Priority: 1 }, { routingKye: 'k' }, { unknown: 1 }];
  refuses(check, 'publish with a misspelled option', misspelled, (queue, options) =>
    queue.publish('g', 1, options),
  );
  refuses(check, 'publishMany with a misspelled field of a message', misspelled, (queue, options) =>
    queue.publishMany([{ groupId: 'g', event: 1, ...(options as object) }]),
  );
  refuses(check, 'claim with a misspelled option', [{ priority: 1 }, { routingKey: 'k' }], (queue, options) =>
    queue.claim('w', VISIBILITY, options),
  );
  refuses(
    check,
    'nack with a misspelled option',
    [{ countattempt: false }, { err: 'e' }],
    (queue, options, lease) => queue.nack(lease, 0, options),
  );
  refuses(check, 'bury with a misspelled option', [{ reason: 'r' }], (queue, options, lease) =>
    queue.bury(lease, options),
  );
  refuses(check, 'deadLetters with a misspelled option', [{ after: 1 }], (queue, options) =>
    queue.deadLetters(options),
  );
}
