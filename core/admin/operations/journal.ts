/** The journal: one row for every operation, written in the operation's transaction. */
import type { Operation } from '../../contract/admin.ts';
import { toSeconds } from '../../sqlite/file/time-units.ts';
import { prepare, type VerbContext } from '../../sqlite/verbs/verb-context.ts';

/** A message or dead letter as the operation found it. */
export interface Found {
  readonly seq: number;
  readonly groupId: string;
  readonly event: string;
  readonly priority: number;
  readonly routingKey: string | null;
}

/** `becameSeq` is the new message's after a re-publish. The row keeps what was removed, so that it can be brought back. */
export type WriteJournal = (operator: string, operation: Operation, was: Found, becameSeq: number) => void;

export function makeJournal(context: VerbContext): WriteJournal {
  const insert = prepare(
    context,
    `INSERT INTO ${context.names.journal} (at, operator, act, seq, group_id, detail) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  return (operator, { kind, fence, ...given }, was, becameSeq) => {
    const detail = JSON.stringify({ seen: fence, given, was, becameSeq });
    insert.run(toSeconds(context.time.now), operator, kind, was.seq, was.groupId, detail);
  };
}
