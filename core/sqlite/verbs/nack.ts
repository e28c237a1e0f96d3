/** nack: frees a message in its place, or parks it for a delay during which its whole group waits. */
import type { NackOptions } from '../../contract/transport.ts';
import { PARKED } from '../file/names.ts';
import { toSeconds } from '../file/time-units.ts';
import { FENCE, type FencedMessage, fenceValues } from './fence.ts';
import { prepare, type VerbContext } from './verb-context.ts';

/** Returns false when the fence no longer fits; nothing has changed then. */
export type NackVerb = (message: FencedMessage, delayMs?: number, options?: NackOptions) => boolean;

export function makeNack(context: VerbContext): NackVerb {
  // Deliveries stay as they are, so this fires the trigger <prefix>_messages_lock_changed, which marks a parked group.
  const setLock = prepare(
    context,
    `UPDATE ${context.names.messages} SET locked_by = ?, lock_expiry = ?, attempts = MAX(attempts - ?, 0),
  last_error = COALESCE(?, last_error) WHERE ${FENCE}`,
  );
  return (message, delayMs = 0, { error, countAttempt = true } = {}) => {
    const until = delayMs > 0 ? context.time.now + delayMs : null;
    const lock = until === null ? [null, null] : [PARKED, toSeconds(until)];
    const uncounted = countAttempt ? 0 : 1;
    if (setLock.run(...lock, uncounted, error ?? null, ...fenceValues(message)).changes === 0) return false;
    const { seq, groupId, deliveries } = message;
    if (until === null) {
      context.issuedLocks.forget(seq);
      context.emitAfterCommit('nacked', { seq, groupId });
    } else {
      context.issuedLocks.add(
        { seq, lockedBy: PARKED, delivery: deliveries, expiresAt: until },
        context.time,
      );
      context.emitAfterCommit('parked', { seq, groupId, until });
    }
    return true;
  };
}
