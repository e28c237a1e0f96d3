/**
 * republish: puts a message at the tail of a group as a new message, and removes it where it was. The new one comes first: a
 * group whose only message is published to it again keeps its row, and so its priority and its place among the groups.
 */
import type { DeadLetter } from '../../contract/transport.ts';
import { FENCE, type FencedMessage, fenceValues } from './fence.ts';
import { prepare, type VerbContext } from './verb-context.ts';

type Content = Pick<DeadLetter, 'groupId' | 'eventJson' | 'priority' | 'routingKey'>;

/** What the new message has instead of the old one's. */
export type RepublishChanges = Partial<Content>;

/** The verbs that this one is made of. */
interface Parts {
  publish(content: Content, originSeq: number): number;
  ack(message: FencedMessage): boolean;
  takeDeadLetter(id: number): DeadLetter | null;
}

export interface RepublishVerbs {
  /** Returns the new seq, or null when the fence no longer fits; nothing has changed then. */
  live(message: FencedMessage, changes: RepublishChanges): number | null;
  /** Returns the new seq, or null when there is no dead letter with this id. */
  dead(id: number, changes?: RepublishChanges): number | null;
}

export function makeRepublish(context: VerbContext, { publish, ack, takeDeadLetter }: Parts): RepublishVerbs {
  const { messages, groups } = context.names;
  const find = prepare(
    context,
    `SELECT m.group_id AS groupId, m.event AS eventJson, COALESCE(g.priority, 0) AS priority, g.routing_key AS routingKey
FROM ${messages} m LEFT JOIN ${groups} g ON g.group_id = m.group_id WHERE m.${FENCE}`,
  );
  return {
    live(message, changes) {
      const found = find.get(...fenceValues(message)) as Content | undefined;
      if (!found) return null;
      const seq = publish({ ...found, ...changes }, message.seq);
      ack(message);
      return seq;
    },
    dead(id, changes) {
      const found = takeDeadLetter(id);
      return found && publish({ ...found, ...changes }, found.seq);
    },
  };
}
