/**
 * What an operator does to one message: each act is one transaction with its line in the journal, fenced by the state
 * that the operator saw. When the message has moved on, nothing is changed and the answer says where it is now.
 */

import type { MessageFence, Operation, OperationResult } from '../../contract/admin.ts';
import { BadArgument, LeaseholdError } from '../../contract/errors.ts';
import type { Engine } from '../../sqlite/engine.ts';
import { PARKED } from '../../sqlite/file/names.ts';
import { toSeconds } from '../../sqlite/file/time-units.ts';
import { makeDropEmptyGroup } from '../../sqlite/verbs/drop-empty-group.ts';
import { makePublish } from '../../sqlite/verbs/publish.ts';
import { prepare } from '../../sqlite/verbs/verb-context.ts';
import { show } from '../../validate/checks.ts';
import { type Found, makeJournal } from './journal.ts';

type Republish = Extract<Operation, { kind: 'republish' }>;

/** `says` tells in a sentence where a message is that has moved on. */
export function makeOperate(
  engine: Engine,
  says: (seq: number) => string,
): (operation: Operation, operator: string) => OperationResult {
  const queue = engine.context;
  const { messages, groups, deadLetters } = queue.names;
  const findLive = prepare(
    queue,
    `SELECT m.seq, m.group_id AS groupId, m.event, COALESCE(g.priority, 0) AS priority, g.routing_key AS routingKey
FROM ${messages} m LEFT JOIN ${groups} g ON g.group_id = m.group_id
WHERE m.seq = ? AND m.locked_by IS ? AND m.lock_expiry IS ? AND m.deliveries = ?`,
  );
  const findDead = prepare(
    queue,
    `SELECT seq, group_id AS groupId, event, priority, routing_key AS routingKey FROM ${deadLetters} WHERE seq = ?`,
  );
  const removeLive = prepare(queue, `DELETE FROM ${messages} WHERE seq = ?`);
  const removeDead = prepare(queue, `DELETE FROM ${deadLetters} WHERE seq = ?`);
  const setLock = prepare(queue, `UPDATE ${messages} SET locked_by = ?, lock_expiry = ? WHERE seq = ?`);
  const dropEmptyGroup = makeDropEmptyGroup(queue);
  const publish = makePublish(queue);
  const journal = makeJournal(queue);

  function find({ seq, lockedBy, lockExpiry, deliveries, dead }: MessageFence): Found | undefined {
    if (dead) return findDead.get(seq) as Found | undefined;
    return findLive.get(seq, lockedBy, lockExpiry, deliveries) as Found | undefined;
  }

  function remove({ seq, groupId }: Found, dead: boolean): void {
    (dead ? removeDead : removeLive).run(seq);
    if (!dead) dropEmptyGroup(groupId);
  }

  function republish(found: Found, { eventJson, groupId, priority, routingKey, fence }: Republish): number {
    const seq = publish(
      {
        groupId: groupId ?? found.groupId,
        eventJson: eventJson ?? found.event,
        priority: priority ?? found.priority,
        routingKey: routingKey === undefined ? found.routingKey : routingKey,
      },
      found.seq,
    );
    remove(found, fence.dead);
    return seq;
  }

  function act(operation: Operation, found: Found): number {
    switch (operation.kind) {
      case 'ack':
        remove(found, operation.fence.dead);
        return found.seq;
      case 'nack':
        setLock.run(null, null, found.seq);
        return found.seq;
      case 'park':
        setLock.run(PARKED, toSeconds(queue.time.now + operation.delayMs), found.seq);
        return found.seq;
      case 'republish':
        return republish(found, operation);
      default:
        // Would be journaled as done otherwise; thrown, it rolls the transaction back.
        throw new BadArgument(
          `operation.kind must be ack, nack, park or republish, not ${show((operation as Operation).kind)}.`,
        );
    }
  }

  return (operation, operator) => {
    const { kind, fence } = operation;
    if (fence.dead && (kind === 'nack' || kind === 'park'))
      throw new LeaseholdError(
        'NOT_ALLOWED',
        `Dead letter ${fence.seq} waits for nothing: re-publish it, or ack it away.`,
      );
    return engine.write(() => {
      const found = find(fence);
      if (!found) return { outcome: 'stale', message: says(fence.seq) };
      const seq = act(operation, found);
      journal(operator, operation, found, seq);
      return { outcome: 'done', seq };
    });
  };
}
