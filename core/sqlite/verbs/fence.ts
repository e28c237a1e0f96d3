/**
 * The fence of a settling verb: its statement names the lock that the caller saw, so it changes nothing once the message has
 * been settled, extended or taken by another claim. A worker's fence is its lease. An operator's fence is the state that the
 * inspector showed, which may be free or parked.
 *
 * Every write of a lock raises the column `fence`: Leasehold's verbs do it, and a trigger does it for other programs. No
 * time is part of the fence, so no clock can bring an old lease back to life.
 */
import type { Lease } from '../../contract/transport.ts';

/** A message and the lock that it must still have. */
export interface Fence {
  readonly seq: number;
  readonly lockedBy: string | null;
  readonly fence: number;
}

/** A fence with the message's group. */
export interface FencedMessage extends Fence {
  readonly groupId: string;
}

/** `IS`, because locked_by of a free message is NULL. The plan is a seek by seq. */
export const FENCE = 'seq = ? AND locked_by IS ? AND fence = ?';

export type FenceValues = [seq: number, lockedBy: string | null, fence: number];

/** The parameters of FENCE. */
export function fenceValues({ seq, lockedBy, fence }: Fence): FenceValues {
  return [seq, lockedBy, fence];
}

/** The message of a lease, fenced by the lease's lock. */
export function fencedBy({ seq, groupId, workerId, fence }: Lease<unknown>): FencedMessage {
  return { seq, groupId, lockedBy: workerId, fence };
}

/**
 * The next fence after `fence`, a random step higher. A row that another program replaced or restored, or a claim of it, then
 * has no fence that an earlier row with its seq had. A value of another program that no lease can hold counts as 0.
 */
export function nextFence(fence: number): number {
  const next = fence + 1 + Math.floor(Math.random() * 2 ** 20);
  return Number.isSafeInteger(next) ? next : nextFence(0);
}
