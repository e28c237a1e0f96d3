import assert from 'node:assert/strict';
import type { Lease, Transport } from '../../contract/transport.ts';
import { type Check, drain, fill, nothing, raises, take, VISIBILITY } from './kit.ts';

const LONE = 'lone \ud800 surrogate';
const NUL = 'nul \0 inside';
// biome-ignore lint/suspicious/noExplicitAny: these calls break the types on purpose, as JavaScript callers can.
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

/** `call` must refuse each of the values; afterwards the queue is as it was. */
function refuses(
  check: Check,
  what: string,
  values: readonly unknown[],
  call: (queue: Loose, value: unknown, lease: Lease) => unknown,
): void {
  check(`${what} is refused before any write`, async ({ queue }) => {
    await fill(queue, 'g', 1, 2);
    const lease = await take(queue);
    await fill(queue, 'free', 3);
    for (const value of values) {
      await raises('BAD_ARGUMENT', () => call(queue, value, lease), show(value));
    }
    await untouched(queue, lease);
  });
}

async function untouched(queue: Transport, lease: Lease): Promise<void> {
  const free = await take(queue);
  assert.deepEqual([free.event, free.attempt], [3, 1]);
  await nothing(queue);
  await queue.ack(lease);
  assert.deepEqual(await drain(queue), [2]);
  assert.deepEqual(await queue.deadLetters(), []);
}

export function argumentContract(check: Check): void {
  refuses(check, 'a group id that is no text, or no text SQLite can hold', NOT_TEXT, (queue, value) =>
    queue.publish(value, 1),
  );
  refuses(check, 'a priority that is no whole number from 0 to 4', NOT_PRIORITY, (queue, priority) =>
    queue.publish('g', 1, { priority }),
  );
  refuses(check, 'a routing key that is no text', NOT_KEY, (queue, routingKey) =>
    queue.publish('g', 1, { routingKey }),
  );
  refuses(check, 'publish options that are no object', NOT_OPTIONS, (queue, value) =>
    queue.publish('g', 1, value),
  );
  refuses(check, 'a bad group id in a batch', NOT_TEXT, (queue, groupId) =>
    queue.publishMany([
      { groupId: 'new', event: 0 },
      { groupId, event: 1 },
    ]),
  );
  refuses(check, 'a bad priority in a batch', NOT_PRIORITY, (queue, priority) =>
    queue.publishMany([
      { groupId: 'new', event: 0 },
      { groupId: 'g', event: 1, priority },
    ]),
  );
  refuses(
    check,
    'a batch that is no list of messages',
    [undefined, null, 1, {}, [null], [1]],
    (queue, value) => queue.publishMany(value),
  );

  refuses(check, 'a worker id that is no text', NOT_TEXT, (queue, value) => queue.claim(value, VISIBILITY));
  refuses(check, 'the park sentinel as a worker id', ['__parked__'], (queue, value) =>
    queue.claim(value, VISIBILITY),
  );
  refuses(check, 'a visibility that is no duration', NOT_MS, (queue, value) => queue.claim('w', value));
  refuses(check, 'a priority floor that is no priority', NOT_PRIORITY, (queue, minPriority) =>
    queue.claim('w', VISIBILITY, { minPriority }),
  );
  refuses(check, 'routing keys that are no list of texts', NOT_KEYS, (queue, routingKeys) =>
    queue.claim('w', VISIBILITY, { routingKeys }),
  );
  refuses(check, 'claim options that are no object', NOT_OPTIONS, (queue, value) =>
    queue.claim('w', VISIBILITY, value),
  );
  refuses(check, 'a bad limit of claimMany', NOT_LIMIT, (queue, value) =>
    queue.claimMany('w', VISIBILITY, value),
  );
  refuses(check, 'a bad worker id of claimMany', NOT_TEXT, (queue, value) =>
    queue.claimMany(value, VISIBILITY, 1),
  );

  refuses(check, 'what is no lease', NOT_LEASE, (queue, value) => queue.ack(value));
  refuses(check, 'what is no lease, in nack,', NOT_LEASE, (queue, value) => queue.nack(value));
  refuses(check, 'what is no lease, in extend,', NOT_LEASE, (queue, value) =>
    queue.extend(value, VISIBILITY),
  );
  refuses(check, 'what is no lease, in bury,', NOT_LEASE, (queue, value) => queue.bury(value));
  refuses(check, 'what is no lease, in ackAndClaim,', NOT_LEASE, (queue, value) =>
    queue.ackAndClaim(value, VISIBILITY),
  );
  refuses(check, 'what is no list of leases', [undefined, null, {}, [null], [{}]], (queue, value) =>
    queue.ackAndClaimMany(value, 'w', VISIBILITY, 1),
  );
  refuses(check, 'a delay that is no duration', NOT_MS, (queue, value, lease) => queue.nack(lease, value));
  refuses(check, 'an error that is no text', [1, {}, null], (queue, error, lease) =>
    queue.nack(lease, 0, { error }),
  );
  refuses(check, 'a countAttempt that is no boolean', [1, 'no', null], (queue, countAttempt, lease) =>
    queue.nack(lease, 0, { countAttempt }),
  );
  refuses(check, 'a visibility of extend that is no duration', NOT_MS, (queue, value, lease) =>
    queue.extend(lease, value),
  );
  refuses(check, 'the reason of a bury that is no text', [1, {}, null], (queue, error, lease) =>
    queue.bury(lease, { error }),
  );
  refuses(check, 'a visibility of ackAndClaim that is no duration', NOT_MS, (queue, value, lease) =>
    queue.ackAndClaim(lease, value),
  );
  refuses(check, 'a floor of ackAndClaim that is no priority', NOT_PRIORITY, (queue, minPriority, lease) =>
    queue.ackAndClaim(lease, VISIBILITY, { minPriority }),
  );
  refuses(check, 'a bad limit of ackAndClaimMany', NOT_LIMIT, (queue, value, lease) =>
    queue.ackAndClaimMany([lease], 'w', VISIBILITY, value),
  );
  refuses(check, 'a bad worker id of ackAndClaimMany', NOT_TEXT, (queue, value, lease) =>
    queue.ackAndClaimMany([lease], value, VISIBILITY, 1),
  );

  refuses(check, 'a bad page of dead letters', NOT_LIMIT, (queue, limit) => queue.deadLetters({ limit }));
  refuses(check, 'a bad start of a page of dead letters', NOT_LIMIT, (queue, afterSeq) =>
    queue.deadLetters({ afterSeq }),
  );
  refuses(check, 'a seq to republish that is no whole number', NOT_LIMIT, (queue, value) =>
    queue.republish(value),
  );
  refuses(check, 'a floor of nextExpiry that is no priority', NOT_PRIORITY, (queue, minPriority) =>
    queue.nextExpiry({ minPriority }),
  );
  refuses(check, 'worker ids to release that are no list of texts', ['w', {}, [1], [null]], (queue, value) =>
    queue.release(value),
  );

  const misspelled = [{ Priority: 1 }, { routingKye: 'k' }, { unknown: 1 }];
  refuses(check, 'a misspelled option of publish', misspelled, (queue, options) =>
    queue.publish('g', 1, options),
  );
  refuses(check, 'a misspelled field of a batch', misspelled, (queue, options) =>
    queue.publishMany([{ groupId: 'g', event: 1, ...(options as object) }]),
  );
  refuses(check, 'a misspelled option of claim', [{ priority: 1 }, { routingKey: 'k' }], (queue, options) =>
    queue.claim('w', VISIBILITY, options),
  );
  refuses(
    check,
    'a misspelled option of nack',
    [{ countattempt: false }, { err: 'e' }],
    (queue, options, lease) => queue.nack(lease, 0, options),
  );
  refuses(check, 'a misspelled option of bury', [{ reason: 'r' }], (queue, options, lease) =>
    queue.bury(lease, options),
  );
  refuses(check, 'a misspelled option of deadLetters', [{ after: 1 }], (queue, options) =>
    queue.deadLetters(options),
  );

  check('an event that JSON cannot hold is refused before any write', async ({ queue }) => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const events = [undefined, () => 1, Symbol('s'), 1n, { deep: [1n] }, cycle];
    for (const event of events)
      await raises('BAD_EVENT', () => queue.publish('g', event), String(typeof event));
    await nothing(queue);
  });

  check(
    'an event of the size limit is taken and one byte more is refused before any write',
    async ({ queue }) => {
      // Two quotes of JSON, and ü is two bytes in the file.
      const fits = `ü${'x'.repeat(96)}`;
      await raises('EVENT_TOO_LARGE', () => queue.publish('g', `${fits}x`));
      await raises('EVENT_TOO_LARGE', () => queue.publishMany([{ groupId: 'g', event: `${fits}x` }]));
      await nothing(queue);
      await fill(queue, 'g', fits);
      assert.deepEqual(await drain(queue), [fits]);
    },
    { maxEventBytes: 100 },
  );
}
