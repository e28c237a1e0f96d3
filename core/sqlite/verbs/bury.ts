/** bury: from its group to the dead letters; the group goes on with its next message. */
import type { BuryOptions, Lease } from '../../contract/transport.ts';
import { toSeconds } from '../file/time-units.ts';
import { makeDropEmptyGroup } from './drop-empty-group.ts';
import { FENCE, fenceOf, prepare, type Queue } from './verb-context.ts';

export interface BuryVerb {
  /** False when the lease is no longer held; nothing has changed then. */
  held(lease: Lease<unknown>, options: BuryOptions): boolean;
  /** A message that nobody holds, within a transaction that has just read it. */
  unheld(message: { seq: number; groupId: string }, error: string): void;
}

export function makeBury(queue: Queue): BuryVerb {
  const { messages, groups, deadLetters } = queue.names;
  const copy = (where: string) =>
    prepare(
      queue,
      `INSERT INTO ${deadLetters}
  (seq, group_id, event, priority, routing_key, attempts, published_at, origin_seq, buried_at, last_error)
SELECT m.seq, m.group_id, m.event, COALESCE(g.priority, 0), g.routing_key, m.attempts, m.published_at, m.origin_seq, ?,
  COALESCE(?, m.last_error)
FROM ${messages} m LEFT JOIN ${groups} g ON g.group_id = m.group_id WHERE ${where}`,
    );
  const copyHeld = copy(`m.${FENCE}`);
  const copyUnheld = copy('m.seq = ?');
  const remove = prepare(queue, `DELETE FROM ${messages} WHERE seq = ?`);
  const dropEmptyGroup = makeDropEmptyGroup(queue);

  function takeOut({ seq, groupId }: { seq: number; groupId: string }, error: string | null): void {
    remove.run(seq);
    dropEmptyGroup(groupId);
    queue.own.forget(seq);
    queue.tell('buried', { seq, groupId, error });
  }

  return {
    held(lease, { error }) {
      const values = [toSeconds(queue.time.now), error ?? null, ...fenceOf(queue, lease)];
      if (copyHeld.run(...values).changes === 0) return false;
      takeOut(lease, error ?? lease.lastError);
      return true;
    },
    unheld(message, error) {
      copyUnheld.run(toSeconds(queue.time.now), error, message.seq);
      takeOut(message, error);
    },
  };
}
