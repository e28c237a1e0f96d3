import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageDetail, MessageState, OperationKind } from '../../../../core/contract/admin.ts';
import { OPERATION_KINDS, OPERATIONS } from '../operation-table.ts';

const disabledReason = (kind: OperationKind, state: MessageState) =>
  OPERATIONS[kind].disabledReason({ state } as MessageDetail);

test('a dead letter can be acked and re-published, but not nacked or parked', () => {
  assert.equal(disabledReason('ack', 'dead'), null);
  assert.equal(disabledReason('republish', 'dead'), null);
  assert.match(disabledReason('park', 'dead') ?? '', /re-publish/);
  assert.match(disabledReason('nack', 'dead') ?? '', /re-publish/);
});

test('a message that no worker holds cannot be nacked', () => {
  assert.match(disabledReason('nack', 'ready') ?? '', /free already/);
  assert.match(disabledReason('nack', 'waiting') ?? '', /free already/);
  assert.equal(disabledReason('nack', 'parked'), null);
  assert.equal(disabledReason('nack', 'lapsed'), null);
});

test('no two operations start with the same key', () => {
  const keys = OPERATION_KINDS.map((kind) => OPERATIONS[kind].key).filter((key) => key !== null);
  assert.deepEqual(keys, [...new Set(keys)]);
});
