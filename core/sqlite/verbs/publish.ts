/** publish: puts a message at the tail of its group, and makes the group's row with its first message. */
import { toSeconds } from '../file/time-units.ts';
import { prepare, type VerbContext } from './verb-context.ts';

export interface Publication {
  readonly groupId: string;
  readonly eventJson: string;
  readonly priority: number;
  readonly routingKey: string | null;
}

/** Returns the seq. `originSeq` is the message that this one is a re-publication of. */
export type PublishVerb = (publication: Publication, originSeq?: number | null) => number;

export function makePublish(context: VerbContext): PublishVerb {
  const { messages, groups } = context.names;
  const newGroupsFirst = context.fairness === 'new-groups-first';
  // As if the group had just been claimed; never before one that was, since the clock may have stepped back.
  const startTurn = newGroupsFirst
    ? '0'
    : `MAX(?, COALESCE((SELECT MAX(last_claimed_at) FROM ${groups}), 0))`;
  const insertMessage = prepare(
    context,
    `INSERT INTO ${messages} (group_id, event, published_at, origin_seq) VALUES (?, ?, ?, ?)`,
  );
  const insertGroup = prepare(
    context,
    `INSERT OR IGNORE INTO ${groups} (group_id, priority, routing_key, last_claimed_at) VALUES (?, ?, ?, ${startTurn})`,
  );
  return ({ groupId, eventJson, priority, routingKey }, originSeq = null) => {
    const now = toSeconds(context.time.now);
    const seq = Number(insertMessage.run(groupId, eventJson, now, originSeq).lastInsertRowid);
    if (newGroupsFirst) insertGroup.run(groupId, priority, routingKey);
    else insertGroup.run(groupId, priority, routingKey, now);
    context.emitAfterCommit('published', { seq, groupId });
    return seq;
  };
}
