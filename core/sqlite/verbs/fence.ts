/**
 * The fence of a settling verb: its statement names the lock that the caller saw, so it changes nothing once the message has
 * been settled, extended or taken by another claim. A worker's fence is its lease. An operator's fence is the state that the
 * inspector showed, which may be free or parked.
 */
import type { Lease } from '../../contract/transport.ts';
import type { VerbContext } from './verb-context.ts';

/** A message and the lock that it must still have. */
export interface Fence {
  readonly seq: number;
  readonly lockedBy: string | null;
  /** Epoch seconds, exactly as in the file. */
  readonly lockExpiry: number | null;
  readonly deliveries: number;
}

/** A fence with the message's group, which never changes. */
export interface FencedMessage extends Fence {
  readonly groupId: string;
}

/** `IS`, because the columns of a free message are NULL. The plan is a seek by seq. */
export const FENCE = 'seq = ? AND locked_by IS ? AND lock_expiry IS ? AND deliveries = ?';

export type FenceValues = [
  seq: number,
  lockedBy: string | null,
  lockExpiry: number | null,
  deliveries: number,
];

/** The parameters of FENCE. */
export function fenceValues({ seq, lockedBy, lockExpiry, deliveries }: Fence): FenceValues {
  return [seq, lockedBy, lockExpiry, deliveries];
}

/** The message of a lease, fenced by the lock that the lease has in the file. */
export function fencedBy({ issuedLocks }: VerbContext, lease: Lease<unknown>): FencedMessage {
  return {
    seq: lease.seq,
    groupId: lease.groupId,
    lockedBy: lease.workerId,
    lockExpiry: issuedLocks.expiryInFile(lease),
    deliveries: lease.delivery,
  };
}
