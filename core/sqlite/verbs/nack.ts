/** nack: given back, at once and in its place, or parked for a delay while its whole group waits. */
import type { Lease, NackOptions } from '../../contract/transport.ts';
import { PARKED } from '../file/names.ts';
import { toSeconds } from '../file/time-units.ts';
import { FENCE, fenceOf, prepare, type Queue } from './verb-context.ts';

/** False when the lease is no longer held; nothing has changed then. */
export function makeNack(
  queue: Queue,
): (lease: Lease<unknown>, delayMs: number, options: NackOptions) => boolean {
  const giveBack = prepare(
    queue,
    `UPDATE ${queue.names.messages} SET locked_by = ?, lock_expiry = ?, attempts = MAX(attempts - ?, 0),
  last_error = COALESCE(?, last_error) WHERE ${FENCE}`,
  );
  return (lease, delayMs, { error, countAttempt = true }) => {
    const { seq, groupId, delivery } = lease;
    const until = delayMs > 0 ? queue.time.now + delayMs : null;
    const lock = until === null ? [null, null] : [PARKED, toSeconds(until)];
    const uncounted = countAttempt ? 0 : 1;
    if (giveBack.run(...lock, uncounted, error ?? null, ...fenceOf(queue, lease)).changes === 0) return false;
    if (until === null) {
      queue.own.forget(seq);
      queue.tell('nacked', { seq, groupId });
    } else {
      queue.own.note({ seq, lockedBy: PARKED, delivery, expiresAt: until }, queue.time);
      queue.tell('parked', { seq, groupId, until });
    }
    return true;
  };
}
