/** publish: a message at the tail of its group, and the group's row with its first message. */

import { toSeconds } from '../file/time-units.ts';
import { prepare, type Queue } from './verb-context.ts';

export interface Publication {
  readonly groupId: string;
  readonly eventJson: string;
  readonly priority: number;
  readonly routingKey: string | null;
}

export function makePublish(queue: Queue): (publication: Publication, originSeq?: number | null) => number {
  const { messages, groups } = queue.names;
  const newGroupsFirst = queue.fairness === 'new-groups-first';
  // As if it had been served now, and never before a group that was: the clock may have stepped back since.
  const startTurn = newGroupsFirst
    ? '0'
    : `MAX(?, COALESCE((SELECT MAX(last_claimed_at) FROM ${groups}), 0))`;
  const insertMessage = prepare(
    queue,
    `INSERT INTO ${messages} (group_id, event, published_at, origin_seq) VALUES (?, ?, ?, ?)`,
  );
  const insertGroup = prepare(
    queue,
    `INSERT OR IGNORE INTO ${groups} (group_id, priority, routing_key, last_claimed_at) VALUES (?, ?, ?, ${startTurn})`,
  );
  return ({ groupId, eventJson, priority, routingKey }, originSeq = null) => {
    const now = toSeconds(queue.time.now);
    const seq = Number(insertMessage.run(groupId, eventJson, now, originSeq).lastInsertRowid);
    if (newGroupsFirst) insertGroup.run(groupId, priority, routingKey);
    else insertGroup.run(groupId, priority, routingKey, now);
    queue.tell('published', { seq, groupId });
    return seq;
  };
}
