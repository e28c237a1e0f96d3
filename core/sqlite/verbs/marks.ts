/** Writes the mark of the group that a message is in now: another program may have moved it since its claim. */
import { prepare, type VerbContext } from './verb-context.ts';

export interface MarkVerbs {
  /** The group is known to be locked until then, epoch seconds. */
  mark(seq: number, until: number): void;
  /** The same, where the group has a mark already. */
  remark(seq: number, until: number): void;
  /** A lock of the group ended, or may end earlier: only a look tells whether another one holds. */
  unmark(seq: number): void;
}

export function makeMarks(context: VerbContext): MarkVerbs {
  const { messages, groups } = context.names;
  const ofMessage = `group_id = (SELECT group_id FROM ${messages} WHERE seq = ?)`;
  const mark = prepare(context, `UPDATE ${groups} SET blocked_until = ? WHERE ${ofMessage}`);
  const remark = prepare(
    context,
    `UPDATE ${groups} SET blocked_until = ? WHERE ${ofMessage} AND blocked_until IS NOT NULL`,
  );
  const unmark = prepare(
    context,
    `UPDATE ${groups} SET blocked_until = NULL WHERE ${ofMessage} AND blocked_until IS NOT NULL`,
  );
  return {
    mark: (seq, until) => void mark.run(until, seq),
    remark: (seq, until) => void remark.run(until, seq),
    unmark: (seq) => void unmark.run(seq),
  };
}
