/** bury: moves a message to the dead letters; its group goes on with the next one. */
import type { BuryOptions } from '../../contract/transport.ts';
import { toSeconds } from '../file/time-units.ts';
import { makeDropEmptyGroup } from './drop-empty-group.ts';
import { FENCE, type FencedMessage, fenceValues } from './fence.ts';
import { prepare, type VerbContext } from './verb-context.ts';

export interface BuryVerbs {
  /** Returns false when the fence no longer fits; nothing has changed then. Without `error` the last error stays. */
  bury(message: FencedMessage, options: BuryOptions): boolean;
  /** For a claim that has just read the message in its own transaction. Needs no fence, so it cannot fail to remove it. */
  buryUnreadable(message: Pick<FencedMessage, 'seq' | 'groupId'>, error: string): void;
}

export function makeBury(context: VerbContext): BuryVerbs {
  const { messages, groups, deadLetters } = context.names;
  const copy = (where: string) =>
    prepare(
      context,
      `INSERT INTO ${deadLetters}
  (seq, group_id, event, priority, routing_key, attempts, published_at, origin_seq, buried_at, last_error)
SELECT m.seq, m.group_id, m.event, COALESCE(g.priority, 0), g.routing_key, m.attempts, m.published_at, m.origin_seq, ?,
  COALESCE(?, m.last_error)
FROM ${messages} m LEFT JOIN ${groups} g ON g.group_id = m.group_id WHERE ${where} RETURNING last_error`,
    ).pluck();
  const copyFenced = copy(`m.${FENCE}`);
  const copyBySeq = copy('m.seq = ?');
  const remove = prepare(context, `DELETE FROM ${messages} WHERE seq = ?`);
  const dropEmptyGroup = makeDropEmptyGroup(context);

  function removeMessage(
    { seq, groupId }: Pick<FencedMessage, 'seq' | 'groupId'>,
    error: string | null,
  ): void {
    remove.run(seq);
    dropEmptyGroup(groupId);
    context.issuedLocks.forget(seq);
    context.emitAfterCommit('buried', { seq, groupId, error });
  }

  return {
    bury(message, { error }) {
      const now = toSeconds(context.time.now);
      const lastError = copyFenced.get(now, error ?? null, ...fenceValues(message)) as
        | string
        | null
        | undefined;
      if (lastError === undefined) return false;
      removeMessage(message, lastError);
      return true;
    },
    buryUnreadable(message, error) {
      copyBySeq.get(toSeconds(context.time.now), error, message.seq);
      removeMessage(message, error);
    },
  };
}
