/** nack: frees a message in its place, or parks it for a delay during which its whole group waits. */
import type { NackOptions } from '../../contract/transport.ts';
import { PARKED } from '../file/names.ts';
import { toSeconds } from '../file/time-units.ts';
import { FENCE, type FencedMessage, fenceValues, nextFence } from './fence.ts';
import { makeMarks } from './marks.ts';
import { prepare, type VerbContext } from './verb-context.ts';

/**
 * Returns false when the fence no longer fits; nothing has changed then. Without `countAttempt` the message's counts stay as
 * they are, as an operator expects.
 */
export type NackVerb = (message: FencedMessage, delayMs?: number, options?: NackOptions) => boolean;

export function makeNack(context: VerbContext): NackVerb {
  const { messages } = context.names;
  // Only an operator parks a message that is not the head.
  const setLock = prepare(
    context,
    `UPDATE ${messages} SET locked_by = ?, lock_expiry = ?, fence = ?, attempts = MAX(attempts - started + COALESCE(?, started), 0),
  started = 0, crashes = CASE ? WHEN 0 THEN 0 ELSE crashes END, last_error = COALESCE(?, last_error),
  out_of_turn = seq > (SELECT MIN(h.seq) FROM ${messages} h WHERE h.group_id = ${messages}.group_id)
WHERE ${FENCE}`,
  );
  const { mark, unmark } = makeMarks(context);
  return (message, delayMs = 0, { error, countAttempt } = {}) => {
    const { seq, groupId } = message;
    const until = delayMs > 0 ? context.time.now + delayMs : null;
    const lock = until === null ? [null, null] : [PARKED, toSeconds(until)];
    const fence = nextFence(message.fence);
    // A handler that ended, with an attempt or a park, did not end its process.
    const handlerEnded = countAttempt === true || (countAttempt === false && until !== null);
    const counted = countAttempt === undefined ? null : Number(countAttempt);
    const values = [...lock, fence, counted, handlerEnded ? 0 : 1, error ?? null, ...fenceValues(message)];
    if (setLock.run(...values).changes === 0) return false;
    if (until === null) {
      unmark(seq);
      context.afterCommit(() => context.issuedLocks.forget(message));
      context.emitAfterCommit('nacked', { seq, groupId });
    } else {
      mark(seq, toSeconds(until));
      context.issuedLocks.add({ seq, lockedBy: PARKED, fence, expiresAt: until }, context.time);
      context.emitAfterCommit('parked', { seq, groupId, until });
    }
    return true;
  };
}
