/** extend: sets a later expiry on a held lease. The lease that was passed in no longer settles. */
import type { Lease } from '../../contract/transport.ts';
import { toSeconds } from '../file/time-units.ts';
import { FENCE, fencedBy, fenceValues } from './fence.ts';
import { prepare, type VerbContext } from './verb-context.ts';

/** Returns the new lease, or null when the old one is no longer held. */
export function makeExtend(
  context: VerbContext,
): (lease: Lease<unknown>, visibilityMs: number) => Lease<unknown> | null {
  // Deliveries stay as they are, so the trigger <prefix>_messages_lock_changed updates a group's mark.
  const extend = prepare(context, `UPDATE ${context.names.messages} SET lock_expiry = ? WHERE ${FENCE}`);
  return (lease, visibilityMs) => {
    const { issuedLocks, time } = context;
    const fence = fencedBy(context, lease);
    const requested = time.now + visibilityMs;
    // Only the expiry tells the two leases apart, so it must differ, by a microsecond if need be.
    const expiresAt = toSeconds(requested) === fence.lockExpiry ? requested + 0.001 : requested;
    if (extend.run(toSeconds(expiresAt), ...fenceValues(fence)).changes === 0) return null;
    const { seq, groupId, workerId, delivery } = lease;
    if (issuedLocks.wasShortened(lease)) context.afterCommit(() => issuedLocks.dropShortened(lease));
    issuedLocks.add({ seq, lockedBy: workerId, delivery, expiresAt }, time);
    context.emitAfterCommit('extended', { seq, groupId, expiresAt });
    return { ...lease, expiresAt };
  };
}
