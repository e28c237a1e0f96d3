/** Checks the arguments of a Transport's calls, for all transports. */
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
  checkFields,
  checkList,
  checkListener,
  checkNumber,
  checkPlainObject,
  checkText,
  checkWhole,
  type FieldChecks,
  membersOf,
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

const checkRoutingKeys: Check = (what, value) => {
  checkList(what, value);
  for (const key of value) checkText('a routing key', key);
};

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
  closed: true,
});

export function checkTransportListener(name: unknown, listener: unknown): void {
  checkListener('transport', EVENTS, name, listener);
}

export function checkPublish(groupId: unknown, options: unknown): void {
  checkText('groupId', groupId);
  checkFields('options of publish', options, PUBLISH_OPTIONS);
}

export function checkNewMessages(messages: unknown): void {
  checkList('messages', messages);
  for (const message of messages)
    checkFields('a message of publishMany', message, NEW_MESSAGE, REQUIRED_OF_NEW_MESSAGE);
}

export function checkClaim(workerId: unknown, visibilityMs: unknown, options: unknown): void {
  checkWorkerId(workerId);
  checkVisibility(visibilityMs);
  checkClaimOptions(options);
}

export function checkClaimMany(workerId: unknown, visibilityMs: unknown, options: unknown): void {
  checkWorkerId(workerId);
  checkVisibility(visibilityMs);
  checkFields('options of claimMany', options, CLAIM_MANY_OPTIONS);
}

export function checkCounted(counted: unknown): void {
  checkBoolean('counted', counted);
}

export function checkGroupPage(page: unknown): void {
  checkFields('page', page, GROUP_PAGE);
}

export function checkVisibility(visibilityMs: unknown): void {
  checkNumber('visibilityMs', visibilityMs, 1);
}

export function checkClaimOptions(options: unknown): void {
  checkFields('options of claim', options, CLAIM_OPTIONS);
}

export function checkLimit(limit: unknown, least: number): void {
  checkWhole('limit', limit, least, HIGHEST_LIMIT);
}

/** The fields that a settle uses. */
export function checkLease(lease: Lease<unknown>): void {
  checkPlainObject('lease', lease);
  const { seq, groupId, workerId, expiresAt, fence } = lease;
  const isLease =
    Number.isInteger(seq) &&
    typeof groupId === 'string' &&
    typeof workerId === 'string' &&
    workerId !== PARKED &&
    Number.isFinite(expiresAt) &&
    Number.isInteger(fence);
  if (!isLease) throw new BadArgument('lease is not what a claim returned. Pass the lease object itself.');
}

export function checkLeases(leases: readonly Lease<unknown>[]): void {
  checkList('leases', leases);
  for (const lease of leases) checkLease(lease);
}

export function checkNack(delayMs: unknown, options: unknown): void {
  checkNumber('delayMs', delayMs, 0);
  checkFields('options of nack', options, NACK_OPTIONS);
}

export function checkBury(options: unknown): void {
  checkFields('options of bury', options, BURY_OPTIONS);
}

export const checkSeq: Check = (what, value) => checkWhole(what, value, 1, Number.MAX_SAFE_INTEGER);

export function checkWorkerId(workerId: unknown): void {
  checkText('workerId', workerId);
  if (workerId === '' || workerId === PARKED)
    throw new BadArgument(`workerId ${show(workerId)} is reserved. Name the worker, as in "uploads:1234".`);
}

export function checkWorkerIds(workerIds: unknown): void {
  checkList('workerIds', workerIds);
  for (const id of workerIds) checkWorkerId(id);
}

export function checkDeadLetters(options: unknown): void {
  checkFields('options of deadLetters', options, DEAD_LETTERS_OPTIONS);
}
