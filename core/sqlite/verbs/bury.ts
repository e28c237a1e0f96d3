/** bury: moves a message to the dead letters; its group goes on with the next one. */
import { LeaseholdError } from '../../contract/errors.ts';
import type { BuryOptions } from '../../contract/transport.ts';
import { toSeconds } from '../file/time-units.ts';
import { makeDropEmptyGroup } from './drop-empty-group.ts';
import { FENCE, type FencedMessage, fenceValues } from './fence.ts';
import { prepare, type VerbContext } from './verb-context.ts';

export interface BuryVerbs {
  /** Returns false when the fence no longer fits; nothing has changed then. Without `error` the last error stays. */
  bury(message: FencedMessage, options: BuryOptions): boolean;
  /** Buries the head of the group with this rowid, for a claim that has just read it in its own transaction. */
  buryUnservable(groupRow: number | bigint, reason: string): void;
}

const LAST_SEQ = Number.MAX_SAFE_INTEGER;

interface Buried {
  readonly seq: number;
  readonly groupId: string;
  readonly lastError: string | null;
}

export function makeBury(context: VerbContext): BuryVerbs {
  const { messages, groups, deadLetters, journal } = context.names;
  // Another program's group id can be a BLOB.
  const copy = (where: string) =>
    prepare(
      context,
      `INSERT INTO ${deadLetters}
  (seq, group_id, event, priority, routing_key, attempts, published_at, origin_seq, buried_at, last_error)
SELECT m.seq, CAST(m.group_id AS TEXT), m.event, COALESCE(g.priority, 0), g.routing_key, MAX(m.attempts - m.started + ?, 0),
  m.published_at, m.origin_seq, ?, COALESCE(?, m.last_error)
FROM ${messages} m LEFT JOIN ${groups} g ON g.group_id = m.group_id WHERE ${where}
RETURNING seq AS seq, group_id AS groupId, last_error AS lastError`,
    );
  const headOf = `(SELECT MIN(h.seq) FROM ${messages} h WHERE h.group_id = (SELECT group_id FROM ${groups} WHERE rowid = ?))`;
  const copyFenced = copy(`m.${FENCE}`);
  const copyHead = copy(`m.seq = ${headOf}`);
  const remove = prepare(context, `DELETE FROM ${messages} WHERE seq = ?`);
  const removeHead = prepare(context, `DELETE FROM ${messages} WHERE seq = ${headOf}`);
  const dropEmptyGroup = makeDropEmptyGroup(context);
  const dropEmptyRow = prepare(
    context,
    `DELETE FROM ${groups} WHERE rowid = ? AND NOT EXISTS (SELECT 1 FROM ${messages} m WHERE m.group_id = ${groups}.group_id)`,
  );

  // A huge seq of another program would let every later publish fail. The next seqs are above all that are known.
  const lowerSequence = prepare(
    context,
    `UPDATE sqlite_sequence SET seq = (SELECT COALESCE(MAX(seq), 0) FROM (
  SELECT MAX(seq) AS seq FROM ${messages} UNION ALL SELECT MAX(seq) FROM ${deadLetters} WHERE seq <= ${LAST_SEQ}
  UNION ALL SELECT MAX(seq) FROM ${journal} WHERE seq <= ${LAST_SEQ}))
WHERE name = '${messages}' AND seq > ${LAST_SEQ} AND NOT EXISTS (SELECT 1 FROM ${messages} WHERE seq > ${LAST_SEQ})`,
  );

  function buried({ seq, groupId, lastError }: Buried): void {
    context.emitAfterCommit('buried', { seq, groupId, error: lastError });
  }

  return {
    bury(message, { error, countAttempt = true }) {
      const values = [
        countAttempt ? 1 : 0,
        toSeconds(context.time.now),
        error ?? null,
        ...fenceValues(message),
      ];
      const found = copyFenced.get(...values) as Buried | undefined;
      if (!found) return false;
      remove.run(message.seq);
      dropEmptyGroup(message.groupId);
      context.afterCommit(() => context.issuedLocks.forget(message));
      buried(found);
      return true;
    },
    buryUnservable(groupRow, reason) {
      const found = copyHead.get(0, toSeconds(context.time.now), reason, groupRow) as Buried;
      if (removeHead.run(groupRow).changes === 0)
        throw new LeaseholdError(
          'CORRUPT',
          `${context.db.name}: message ${found?.seq} cannot be removed. Run REINDEX, or restore a backup.`,
        );
      dropEmptyRow.run(groupRow);
      lowerSequence.run();
      buried(found);
    },
  };
}
