/**
 * After the wall clock stepped back: the locks that this transport wrote end when they would have ended. Each is held
 * against the monotonic clock and only ever shortened, so a lock from before an earlier step forward is left alone.
 */

import { toSeconds } from '../file/time-units.ts';
import { FENCE, prepare, type Queue } from './verb-context.ts';

/** Below this a lock is as good as right; the two clocks are never read at quite the same moment. */
const TOLERANCE_MS = 20;

export function makeFollowClock(queue: Queue): () => void {
  const move = prepare(queue, `UPDATE ${queue.names.messages} SET lock_expiry = ? WHERE ${FENCE}`);
  return () => {
    const { now, monotonic } = queue.time;
    for (const lock of [...queue.own]) {
      const expiresAt = now + lock.deadline - monotonic;
      if (expiresAt >= lock.expiresAt - TOLERANCE_MS) continue;
      const fence = [lock.seq, lock.lockedBy, toSeconds(lock.expiresAt), lock.delivery];
      // What another has taken or settled since is no longer ours to move.
      if (move.run(toSeconds(expiresAt), ...fence).changes === 1) queue.own.move(lock, expiresAt);
      else queue.own.forget(lock.seq);
    }
  };
}
