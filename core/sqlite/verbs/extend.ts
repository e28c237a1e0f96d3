/** extend: a held lease's expiry pushed out; the lease that was passed in no longer settles. */
import type { Lease } from '../../contract/transport.ts';
import { toSeconds } from '../file/time-units.ts';
import { FENCE, fenceOf, prepare, type Queue } from './verb-context.ts';

/** The new lease, or null when the old one is no longer held. */
export function makeExtend(
  queue: Queue,
): (lease: Lease<unknown>, visibilityMs: number) => Lease<unknown> | null {
  // Deliveries stay: the trigger follows the new expiry, and the fence changes by it alone.
  const extend = prepare(queue, `UPDATE ${queue.names.messages} SET lock_expiry = ? WHERE ${FENCE}`);
  return (lease, visibilityMs) => {
    const fence = fenceOf(queue, lease);
    const wanted = queue.time.now + visibilityMs;
    // Another expiry than before, by a microsecond if need be: it alone tells the two leases apart.
    const expiresAt = toSeconds(wanted) === fence[2] ? wanted + 0.001 : wanted;
    if (extend.run(toSeconds(expiresAt), ...fence).changes === 0) return null;
    const { seq, groupId, workerId, delivery } = lease;
    if (queue.own.hasMoved(lease)) queue.afterCommit(() => queue.own.unmove(lease));
    queue.own.note({ seq, lockedBy: workerId, delivery, expiresAt }, queue.time);
    queue.tell('extended', { seq, groupId, expiresAt });
    return { ...lease, expiresAt };
  };
}
