/** The checks of every verb's arguments, shared by all transports: all of them come before any write. */
import { BadArgument } from '../contract/errors.ts';
import type {
  BuryOptions,
  ClaimOptions,
  Lease,
  NackOptions,
  NewMessage,
  PublishOptions,
} from '../contract/transport.ts';
import {
  checkKnown,
  checkList,
  checkNumber,
  checkPlainObject,
  checkText,
  checkWhole,
  show,
} from './checks.ts';

export const HIGHEST_PRIORITY = 4;

export function checkPublish(groupId: unknown, options: PublishOptions): void {
  checkText('groupId', groupId);
  checkPlainObject('options of publish', options);
  checkKnown('options of publish', options, ['priority', 'routingKey']);
  checkPriorityAndKey(options);
}

export function checkNewMessages(messages: readonly NewMessage[]): void {
  checkList('messages', messages);
  for (const message of messages) checkNewMessage(message);
}

function checkNewMessage(message: NewMessage): void {
  checkPlainObject('a message of publishMany', message);
  checkKnown('a message of publishMany', message, ['groupId', 'event', 'priority', 'routingKey']);
  checkText('groupId', message.groupId);
  checkPriorityAndKey(message);
}

function checkPriorityAndKey({ priority = 0, routingKey = null }: PublishOptions): void {
  checkWhole('priority', priority, 0, HIGHEST_PRIORITY);
  if (routingKey !== null) checkText('routingKey', routingKey);
}

export function checkClaim(workerId: unknown, visibilityMs: unknown, options: ClaimOptions): void {
  checkWorkerId(workerId);
  checkVisibility(visibilityMs);
  checkClaimOptions(options);
}

export function checkVisibility(visibilityMs: unknown): void {
  checkNumber('visibilityMs', visibilityMs, 1);
}

export function checkClaimOptions(options: ClaimOptions): void {
  checkPlainObject('options of claim', options);
  checkKnown('options of claim', options, ['minPriority', 'routingKeys']);
  const { minPriority = 0, routingKeys } = options;
  checkWhole('minPriority', minPriority, 0, HIGHEST_PRIORITY);
  if (routingKeys === undefined) return;
  checkList('routingKeys', routingKeys);
  for (const key of routingKeys) checkText('a routing key', key);
}

export function checkLimit(limit: unknown, least: number): void {
  checkWhole('limit', limit, least, 1_000_000);
}

export function checkLease(lease: Lease<unknown>): void {
  checkPlainObject('lease', lease);
  const { seq, groupId, workerId, expiresAt, delivery } = lease;
  const sound =
    Number.isInteger(seq) &&
    typeof groupId === 'string' &&
    typeof workerId === 'string' &&
    Number.isFinite(expiresAt) &&
    Number.isInteger(delivery);
  if (!sound) throw new BadArgument('lease is not what a claim returned: pass the lease object itself.');
}

export function checkLeases(leases: readonly Lease<unknown>[]): void {
  checkList('leases', leases);
  for (const lease of leases) checkLease(lease);
}

export function checkNack(delayMs: unknown, options: NackOptions): void {
  checkNumber('delayMs', delayMs, 0);
  checkPlainObject('options of nack', options);
  checkKnown('options of nack', options, ['error', 'countAttempt']);
  checkErrorText(options.error);
  if (options.countAttempt !== undefined && typeof options.countAttempt !== 'boolean')
    throw new BadArgument(`countAttempt must be true or false, not ${show(options.countAttempt)}.`);
}

export function checkBury(options: BuryOptions): void {
  checkPlainObject('options of bury', options);
  checkKnown('options of bury', options, ['error']);
  checkErrorText(options.error);
}

function checkErrorText(error: unknown): void {
  if (error !== undefined && typeof error !== 'string')
    throw new BadArgument(`error must be a string, not ${show(error)}.`);
}

export function checkSeq(seq: unknown): void {
  checkWhole('seq', seq, 1, Number.MAX_SAFE_INTEGER);
}

export function checkWorkerId(workerId: unknown): void {
  checkText('workerId', workerId);
  if (workerId === '' || workerId === '__parked__')
    throw new BadArgument(`workerId ${show(workerId)} is taken: name the worker, as in "uploads:1234".`);
}

export function checkWorkerIds(workerIds: readonly string[]): void {
  checkList('workerIds', workerIds);
  for (const id of workerIds) checkWorkerId(id);
}

export function checkDeadLetters<T extends { afterSeq?: number; limit?: number }>(options: T): T {
  checkPlainObject('options of deadLetters', options);
  checkKnown('options of deadLetters', options, ['afterSeq', 'limit']);
  if (options.afterSeq !== undefined) checkWhole('afterSeq', options.afterSeq, 0, Number.MAX_SAFE_INTEGER);
  if (options.limit !== undefined) checkLimit(options.limit, 1);
  return options;
}
