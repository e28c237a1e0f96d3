/** publish: puts a message at the tail of its group, and makes the group's row with its first message. */
import { LeaseholdError } from '../../contract/errors.ts';
import { toSeconds } from '../file/time-units.ts';
import { makeTurns } from './turns.ts';
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
  const turns = makeTurns(context);
  const insertMessage = prepare(
    context,
    // OR FAIL: with ABORT, SQLite keeps a journal for the statement as soon as the table has triggers (1 µs). The transaction is
    // rolled back in any case.
    `INSERT OR FAIL INTO ${messages} (group_id, event, published_at, origin_seq) VALUES (?, ?, ?, ?)`,
  );
  const insertGroup = prepare(
    context,
    `INSERT OR IGNORE INTO ${groups} (group_id, priority, routing_key, last_claimed_at) VALUES (?, ?, ?, ?)`,
  );
  return ({ groupId, eventJson, priority, routingKey }, originSeq = null) => {
    const now = toSeconds(context.time.now);
    const seq = Number(insertMessage.run(groupId, eventJson, now, originSeq).lastInsertRowid);
    if (seq > Number.MAX_SAFE_INTEGER) throw sequenceFull(context);
    // Otherwise the group starts as if it had just been claimed.
    insertGroup.run(groupId, priority, routingKey, newGroupsFirst ? 0 : turns.last(now));
    context.emitAfterCommit('published', { seq, groupId });
    return seq;
  };
}

function sequenceFull({ db, names: { messages } }: VerbContext): LeaseholdError {
  return new LeaseholdError(
    'STORAGE',
    `${db.name}: the next seq of ${messages} is beyond 2^53, which JavaScript cannot represent exactly: another program wrote a huge seq. Remove that message, and set seq of ${messages} in the table sqlite_sequence to the highest seq that is left.`,
  );
}
