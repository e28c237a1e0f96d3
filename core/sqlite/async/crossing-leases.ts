/** Leases as they are sent to the thread, and the leases that come back. */
import type { Lease } from '../../contract/transport.ts';

/** A checked lease, as it settles on the thread: its event is not needed there. */
export const withoutEvent = (lease: Lease<unknown>): Lease<null> => ({ ...lease, event: null });

/**
 * The caller's own leases of which the thread returned these copies, in their order. Where the caller passed one lease
 * twice, its first ack succeeded and its second failed, so the search starts at the end.
 */
export function originalsOf<E>(copies: readonly Lease<unknown>[], leases: readonly Lease<E>[]): Lease<E>[] {
  if (copies.length === 0) return [];
  const left = [...copies];
  const found = leases.toReversed().filter((lease) => {
    const index = left.findIndex(({ seq, fence }) => seq === lease.seq && fence === lease.fence);
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
  return found.reverse();
}
