/** After the wall clock stepped back: the locks that this transport wrote step back with it. */
import { FENCE, prepare, type Queue } from '../queue.ts';
import { toSeconds } from '../seconds.ts';

export function makeFollowClock(queue: Queue): (backMs: number) => void {
  const move = prepare(queue, `UPDATE ${queue.names.messages} SET lock_expiry = ? WHERE ${FENCE}`);
  return (backMs) => {
    for (const lock of [...queue.own]) {
      const expiresAt = lock.expiresAt - backMs;
      const fence = [lock.seq, lock.lockedBy, toSeconds(lock.expiresAt), lock.delivery];
      // What another has taken or settled since is no longer ours to move.
      if (move.run(toSeconds(expiresAt), ...fence).changes === 1) lock.expiresAt = expiresAt;
      else queue.own.forget(lock.seq);
    }
  };
}
