/**
 * After the wall clock stepped back: makes the locks that this engine wrote end when they would have ended without the step.
 * Each lock's deadline by the monotonic clock decides. Locks are only ever shortened, so one that was written before an
 * earlier step forward stays as it is. A lock that ends earlier keeps its fence, so its lease still settles.
 */
import { toSeconds } from '../file/time-units.ts';
import { FENCE, fenceValues } from './fence.ts';
import type { IssuedLock } from './issued-locks.ts';
import { prepare, type VerbContext } from './verb-context.ts';

/** The two clocks are never read at the same instant, so smaller differences mean nothing. */
const TOLERANCE_MS = 20;

/**
 * Returns the new expiries. The engine keeps them in the locks after the COMMIT, since a rollback restores the old ones.
 */
export function makeShortenLocks(context: VerbContext): () => Map<IssuedLock, number> {
  // The fence stays, so the trigger <prefix>_messages_lock_changed updates the group's mark.
  const shorten = prepare(context, `UPDATE ${context.names.messages} SET lock_expiry = ? WHERE ${FENCE}`);
  return () => {
    const { issuedLocks, time } = context;
    const shortened = new Map<IssuedLock, number>();
    for (const lock of [...issuedLocks]) {
      const expiresAt = time.now + lock.deadline - time.monotonic;
      if (expiresAt >= lock.expiresAt - TOLERANCE_MS) continue;
      // The fence leaves a message alone that another writer has claimed or settled since.
      if (shorten.run(toSeconds(expiresAt), ...fenceValues(lock)).changes === 1)
        shortened.set(lock, expiresAt);
      else issuedLocks.forget(lock);
    }
    return shortened;
  };
}
