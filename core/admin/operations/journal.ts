/** The journal: one row for every operation and every purge, written in its transaction. */
import type { Operation } from '../../contract/admin.ts';
import type { Purged, Retention } from '../../contract/retention.ts';
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

export interface Journal {
  /** `becameSeq` is the new message's after a re-publish. The row keeps what was removed, so that it can be brought back. */
  operated(operator: string, operation: Operation, was: Found, becameSeq: number): void;
  /** The row names no message: its seq is 0. */
  purged(operator: string, retention: Retention, purged: Purged): void;
}

export function makeJournal(context: VerbContext): Journal {
  const insert = prepare(
    context,
    `INSERT INTO ${context.names.journal} (at, operator, act, seq, group_id, detail) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const write = (operator: string, act: string, seq: number, groupId: string, detail: unknown) =>
    insert.run(toSeconds(context.time.now), operator, act, seq, groupId, JSON.stringify(detail));
  return {
    operated(operator, { kind, fence, ...given }, was, becameSeq) {
      write(operator, kind, was.seq, was.groupId, { seen: fence, given, was, becameSeq });
    },
    purged(operator, retention, { deadLetters, journal }) {
      write(operator, 'purge', 0, '', { given: retention, removed: { deadLetters, journal } });
    },
  };
}
