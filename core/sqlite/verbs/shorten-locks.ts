/**
 * After the wall clock stepped back: makes the locks that this engine wrote end when they would have ended without the step.
 * Each lock's deadline by the monotonic clock decides. Locks are only ever shortened, so one that was written before an
 * earlier step forward stays as it is.
 */
import { toSeconds } from '../file/time-units.ts';
import { FENCE, fenceValues } from './fence.ts';
import type { IssuedLock } from './issued-locks.ts';
import { prepare, type VerbContext } from './verb-context.ts';

/** The two clocks are never read at the same instant, so smaller differences mean nothing. */
const TOLERANCE_MS = 20;

/**
 * Returns the new expiries. The engine passes them to IssuedLocks after the COMMIT, since a rollback restores the old
 * ones.
 */
export function makeShortenLocks(context: VerbContext): () => Map<IssuedLock, number> {
  const shorten = prepare(context, `UPDATE ${context.names.messages} SET lock_expiry = ? WHERE ${FENCE}`);
  return () => {
    const { issuedLocks, time } = context;
    const shortened = new Map<IssuedLock, number>();
    for (const lock of [...issuedLocks]) {
      const expiresAt = time.now + lock.deadline - time.monotonic;
      if (expiresAt >= lock.expiresAt - TOLERANCE_MS) continue;
      const { seq, lockedBy, delivery } = lock;
      const fence = { seq, lockedBy, lockExpiry: toSeconds(lock.expiresAt), deliveries: delivery };
      // The fence leaves a message alone that another writer has claimed or settled since.
      if (shorten.run(toSeconds(expiresAt), ...fenceValues(fence)).changes === 1)
        shortened.set(lock, expiresAt);
      else issuedLocks.forget(seq);
    }
    return shortened;
  };
}
