/** extend: sets a new expiry on a held lease. The lease that was passed in no longer settles. */
import type { Lease } from '../../contract/transport.ts';
import { toSeconds } from '../file/time-units.ts';
import { FENCE, fencedBy, fenceValues, nextFence } from './fence.ts';
import { makeMarks } from './marks.ts';
import { prepare, type VerbContext } from './verb-context.ts';

/** Returns the new lease, or null when the old one is no longer held. */
export function makeExtend(
  context: VerbContext,
): (lease: Lease<unknown>, visibilityMs: number) => Lease<unknown> | null {
  const extend = prepare(
    context,
    `UPDATE ${context.names.messages} SET lock_expiry = ?, fence = ? WHERE ${FENCE}`,
  );
  const { remark } = makeMarks(context);
  return (lease, visibilityMs) => {
    const { issuedLocks, time } = context;
    const expiresAt = time.now + visibilityMs;
    const fence = nextFence(lease.fence);
    if (extend.run(toSeconds(expiresAt), fence, ...fenceValues(fencedBy(lease))).changes === 0) return null;
    const { seq, groupId, workerId } = lease;
    remark(seq, toSeconds(expiresAt));
    issuedLocks.add({ seq, lockedBy: workerId, fence, expiresAt }, time);
    context.emitAfterCommit('extended', { seq, groupId, expiresAt });
    return { ...lease, expiresAt, fence };
  };
}
