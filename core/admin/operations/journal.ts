/** The journal: every act of an operator, written in the transaction of the act. */

import type { Operation } from '../../contract/admin.ts';
import { toSeconds } from '../../sqlite/file/time-units.ts';
import { prepare, type Queue } from '../../sqlite/verbs/verb-context.ts';

/** A message or dead letter as the operator's act finds it. */
export interface Found {
  readonly seq: number;
  readonly groupId: string;
  readonly event: string;
  readonly priority: number;
  readonly routingKey: string | null;
}

/** `seq` is the new message after a re-publish. The detail keeps what the act removed, so that it can be brought back. */
export function makeJournal(
  queue: Queue,
): (operator: string, operation: Operation, found: Found, seq: number) => void {
  const insert = prepare(
    queue,
    `INSERT INTO ${queue.names.journal} (at, operator, act, seq, group_id, detail) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  return (operator, { kind, fence, ...given }, found, seq) => {
    const detail = JSON.stringify({ seen: fence, given, was: found, becameSeq: seq });
    insert.run(toSeconds(queue.time.now), operator, kind, found.seq, found.groupId, detail);
  };
}
