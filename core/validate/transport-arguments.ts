/**
 * Checks the arguments of a Transport's calls, for all transports. `read…` returns checked copies, and a transport uses only
 * these: what the caller passed may answer otherwise the next time.
 */
import { BadArgument } from '../contract/errors.ts';
import type {
  BuryOptions,
  ClaimManyOptions,
  ClaimOptions,
  GroupPage,
  Lease,
  NackOptions,
  NewMessage,
  PublishOptions,
  TransportEventName,
} from '../contract/transport.ts';
import {
  type Check,
  checkBoolean,
  checkDuration,
  checkListener,
  checkMaxAttempts,
  checkPlainObject,
  checkText,
  checkWhole,
  type FieldChecks,
  membersOf,
  readable,
  readFields,
  readItems,
  show,
  unchecked,
} from './checks.ts';

const HIGHEST_PRIORITY = 4;
const HIGHEST_LIMIT = 1_000_000;

/** The specification's sentinel: no worker has this id, so no lease settles a parked message. */
export const PARKED = '__parked__';

export const checkPriority: Check = (what, value) => checkWhole(what, value, 0, HIGHEST_PRIORITY);

const checkRoutingKey: Check = (what, value) => {
  if (value !== null) checkText(what, value);
};

const checkRoutingKeys: Check = (what, value) =>
  readItems(what, value, (key) => {
    checkText('a routing key', key);
    return key;
  });

/** An error's text may contain anything, since nothing is looked up by it. */
const checkErrorText: Check = (what, value) => {
  if (typeof value !== 'string') throw new BadArgument(`${what} must be a string, not ${show(value)}.`);
};

const PUBLISH_OPTIONS: FieldChecks<PublishOptions> = {
  priority: checkPriority,
  routingKey: checkRoutingKey,
};

const NEW_MESSAGE: FieldChecks<NewMessage> = {
  ...PUBLISH_OPTIONS,
  groupId: checkText,
  event: unchecked,
};

const REQUIRED_OF_NEW_MESSAGE = { required: ['groupId'] } as const;

export const CLAIM_OPTIONS: FieldChecks<ClaimOptions> = {
  minPriority: checkPriority,
  routingKeys: checkRoutingKeys,
};

const CLAIM_MANY_OPTIONS: FieldChecks<ClaimManyOptions> = {
  ...CLAIM_OPTIONS,
  startNow: (what, value) => checkWhole(what, value, 0, HIGHEST_LIMIT),
  maxAttempts: checkMaxAttempts,
};

const GROUP_PAGE: FieldChecks<GroupPage> = {
  after: (what, value) => {
    if (value !== null) checkWhole(what, value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  },
  limit: (_what, value) => checkLimit(value, 1),
};

const NACK_OPTIONS: FieldChecks<NackOptions> = { error: checkErrorText, countAttempt: checkBoolean };

const BURY_OPTIONS: FieldChecks<BuryOptions> = { error: checkErrorText, countAttempt: checkBoolean };

const DEAD_LETTERS_OPTIONS: FieldChecks<{ afterId?: number; limit?: number }> = {
  afterId: (what, value) => checkWhole(what, value, 0, Number.MAX_SAFE_INTEGER),
  limit: (_what, value) => checkLimit(value, 1),
};

const EVENTS = membersOf<TransportEventName>({
  published: true,
  claimed: true,
  acked: true,
  nacked: true,
  parked: true,
  extended: true,
  buried: true,
  changed: true,
  closed: true,
});

export function checkTransportListener(name: unknown, listener: unknown): void {
  checkListener('transport', EVENTS, name, listener);
}

export function readPublish(groupId: unknown, options: unknown): PublishOptions {
  checkText('groupId', groupId);
  return readFields('options of publish', options, PUBLISH_OPTIONS);
}

export function readNewMessages<E>(messages: readonly NewMessage<E>[]): NewMessage<E>[] {
  return readItems('messages', messages, (message) =>
    readFields<NewMessage<E>>('a message of publishMany', message, NEW_MESSAGE, REQUIRED_OF_NEW_MESSAGE),
  );
}

export function readClaimMany(workerId: unknown, visibilityMs: unknown, options: unknown): ClaimManyOptions {
  checkWorkerId(workerId);
  checkVisibility(visibilityMs);
  return readFields('options of claimMany', options, CLAIM_MANY_OPTIONS);
}

export function readClaimOptions(options: unknown): ClaimOptions {
  return readFields('options of claim', options, CLAIM_OPTIONS);
}

export function checkCounted(counted: unknown): void {
  checkBoolean('counted', counted);
}

export function readGroupPage(page: unknown): GroupPage {
  return readFields('page', page, GROUP_PAGE);
}

export function checkVisibility(visibilityMs: unknown): void {
  checkDuration('visibilityMs', visibilityMs, 1);
}

export function checkLimit(limit: unknown, least: number): void {
  checkWhole('limit', limit, least, HIGHEST_LIMIT);
}

/** Checks the fields that a settle uses. */
export function readLease<E>(lease: Lease<E>): Lease<E> {
  checkPlainObject('lease', lease);
  const copy = readable('lease', () => copyOf<E>(lease));
  const { seq, groupId, workerId, expiresAt, fence } = copy;
  const isLease =
    Number.isSafeInteger(seq) &&
    typeof groupId === 'string' &&
    typeof workerId === 'string' &&
    workerId !== PARKED &&
    Number.isFinite(expiresAt) &&
    Number.isSafeInteger(fence);
  if (!isLease) throw new BadArgument('lease is not what a claim returned. Pass the lease object itself.');
  return copy;
}

/** Without properties that its holder has added. */
function copyOf<E>(lease: Lease<E>): Lease<E> {
  const { seq, groupId, event, workerId, expiresAt } = lease;
  const { attempt, delivery, fence, crashes, publishedAt, lastError } = lease;
  return {
    seq,
    groupId,
    event,
    workerId,
    expiresAt,
    attempt,
    delivery,
    fence,
    crashes,
    publishedAt,
    lastError,
  };
}

/** The leases as they were passed, in an array of their own. Each is to be read by `readLease`. */
export function readLeases<E>(leases: readonly Lease<E>[]): Lease<E>[] {
  return readItems('leases', leases, (lease) => lease as Lease<E>);
}

export function readNack(delayMs: unknown, options: unknown): NackOptions {
  checkDuration('delayMs', delayMs, 0);
  return readFields('options of nack', options, NACK_OPTIONS);
}

export function readBury(options: unknown): BuryOptions {
  return readFields('options of bury', options, BURY_OPTIONS);
}

export const checkSeq: Check = (what, value) => checkWhole(what, value, 1, Number.MAX_SAFE_INTEGER);

export function checkWorkerId(workerId: unknown): asserts workerId is string {
  checkText('workerId', workerId);
  if (workerId === '' || workerId === PARKED)
    throw new BadArgument(`workerId ${show(workerId)} is reserved. Name the worker, as in "uploads:1234".`);
}

export function readWorkerIds(workerIds: unknown): string[] {
  return readItems('workerIds', workerIds, (id) => {
    checkWorkerId(id);
    return id;
  });
}

export function readDeadLetters(options: unknown): { afterId?: number; limit?: number } {
  return readFields('options of deadLetters', options, DEAD_LETTERS_OPTIONS);
}
