/** extend: a held lease's expiry pushed out; the lease that was passed in no longer settles. */
import type { Lease } from '../../transport.ts';
import { FENCE, fenceOf, prepare, type Queue } from '../queue.ts';
import { toSeconds } from '../seconds.ts';

/** The new lease, or null when the old one is no longer held. */
export function makeExtend(
  queue: Queue,
): (lease: Lease<unknown>, visibilityMs: number) => Lease<unknown> | null {
  // Deliveries stay: the trigger follows the new expiry, and the fence changes by it alone.
  const extend = prepare(queue, `UPDATE ${queue.names.messages} SET lock_expiry = ? WHERE ${FENCE}`);
  return (lease, visibilityMs) => {
    const expiresAt = queue.now + visibilityMs;
    if (extend.run(toSeconds(expiresAt), ...fenceOf(queue, lease)).changes === 0) return null;
    const { seq, groupId, workerId, delivery } = lease;
    queue.own.note(seq, workerId, delivery, expiresAt, queue.now);
    queue.tell('extended', { seq, groupId, expiresAt });
    return { ...lease, expiresAt };
  };
}
