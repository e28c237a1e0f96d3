/**
 * An operator's operation on one message: the verb that a worker's settle runs as well, and a row in the journal, in one
 * transaction. The verb's fence is the state that the operator saw. When the message has changed since, nothing is written
 * and the result describes its current state.
 */
import type {
  MessageKey,
  Operation,
  OperationKind,
  OperationOf,
  OperationResult,
} from '../../contract/admin.ts';
import { LeaseholdError } from '../../contract/errors.ts';
import type { Verbs } from '../../sqlite/all-verbs.ts';
import type { Engine } from '../../sqlite/engine.ts';
import type { FencedMessage } from '../../sqlite/verbs/fence.ts';
import { prepare } from '../../sqlite/verbs/verb-context.ts';
import { type Found, makeJournal } from './journal.ts';

/** Each returns the seq for the result, or null when the message is no longer in the state that the operator saw. */
interface Action<Kind extends OperationKind> {
  readonly live: (message: FencedMessage, operation: OperationOf<Kind>) => number | null;
  /** Undefined where the operation makes no sense for a dead letter. */
  readonly dead: ((id: number, operation: OperationOf<Kind>) => number | null) | undefined;
}

type Actions = { readonly [Kind in OperationKind]: Action<Kind> };

const makeActions = ({ ack, nack, republish, deadLetters }: Verbs): Actions => ({
  ack: {
    live: (message) => (ack(message) ? message.seq : null),
    dead: (id) => deadLetters.take(id)?.seq ?? null,
  },
  nack: {
    live: (message) => (nack(message) ? message.seq : null),
    dead: undefined,
  },
  park: {
    live: (message, { delayMs }) => (nack(message, delayMs) ? message.seq : null),
    dead: undefined,
  },
  republish: {
    live: (message, { kind, fence, ...changes }) => republish.live(message, changes),
    dead: (id, { kind, fence, ...changes }) => republish.dead(id, changes),
  },
});

/** `explain` returns one sentence about a message's current state. */
export function makeOperate(
  engine: Engine,
  explain: (key: MessageKey) => string,
): (operation: Operation, operator: string) => OperationResult {
  const { messages, groups, deadLetters } = engine.context.names;
  const findLive = prepare(
    engine.context,
    `SELECT m.seq, m.group_id AS groupId, m.event, COALESCE(g.priority, 0) AS priority, g.routing_key AS routingKey
FROM ${messages} m LEFT JOIN ${groups} g ON g.group_id = m.group_id WHERE m.seq = ?`,
  );
  const findDead = prepare(
    engine.context,
    `SELECT seq, group_id AS groupId, event, priority, routing_key AS routingKey FROM ${deadLetters} WHERE id = ?`,
  );
  const actions = makeActions(engine.verbs);
  const journal = makeJournal(engine.context);

  function act<Kind extends OperationKind>(operation: OperationOf<Kind>, { groupId }: Found): number | null {
    const { fence } = operation;
    const { live, dead } = actions[operation.kind as Kind];
    if (fence.deadId === null) return live({ ...fence, groupId }, operation);
    if (dead) return dead(fence.deadId, operation);
    throw new LeaseholdError(
      'NOT_APPLICABLE',
      `${operation.kind} does not apply to dead letter ${fence.deadId}. Re-publish it, or ack it to remove it.`,
    );
  }

  return (operation, operator) =>
    engine.write(() => {
      const { seq, deadId } = operation.fence;
      const found = (deadId === null ? findLive.get(seq) : findDead.get(deadId)) as Found | undefined;
      const resultSeq = found ? act(operation, found) : null;
      if (!found || resultSeq === null)
        return { outcome: 'stale', message: explain(deadId === null ? seq : { deadId }) };
      journal.operated(operator, operation, found, resultSeq);
      return { outcome: 'done', seq: resultSeq };
    });
}
