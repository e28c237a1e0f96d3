/** One message or dead letter with its whole event, and a sentence that explains its state. */
import type { MessageDetail, MessageRow } from '../../contract/admin.ts';
import { explainDeadLetter, explainMessage } from './explain-state.ts';
import { countGroupsAhead } from './groups-ahead.ts';
import { readRows } from './list-messages.ts';
import { headSeqSql, lastLockSql } from './message-state.ts';
import type { Snapshot } from './snapshot.ts';
import { asMsOrNull, asNumberOrNull } from './stored-values.ts';

interface StoredMessage {
  readonly eventJson: string;
  readonly originSeq: number | null;
  readonly lockedBy: string | null;
  readonly fence: number;
}

interface StoredDeadLetter {
  readonly eventJson: string;
  readonly originSeq: number | null;
  readonly buriedAt: number | null;
}

export function readMessage(snapshot: Snapshot, seq: number): MessageDetail | null {
  return readLiveMessage(snapshot, seq) ?? readDeadLetter(snapshot, seq);
}

function readLiveMessage(snapshot: Snapshot, seq: number): MessageDetail | null {
  const { db, names } = snapshot;
  const stored = db
    .prepare(`SELECT CAST(event AS TEXT) AS eventJson, origin_seq AS originSeq, locked_by AS lockedBy,
  fence FROM ${names.messages} WHERE seq = ?`)
    .get(seq) as StoredMessage | undefined;
  if (!stored) return null;
  const [row] = readRows(snapshot, [{ seq, dead: 0 }]) as [MessageRow];
  const { eventJson, originSeq, lockedBy, fence } = stored;
  return {
    ...row,
    eventJson,
    redacted: false,
    originSeq: asNumberOrNull(originSeq),
    why: explainMessage(row, {
      head: () => readFromGroup(snapshot, row.groupId, headSeqSql(names)),
      lastLock: () => readFromGroup(snapshot, row.groupId, lastLockSql(names)),
      groupsAhead: (floor) => countGroupsAhead(snapshot, row.groupId, floor),
    }),
    fence: { seq, lockedBy, fence, dead: false },
  };
}

function readDeadLetter(snapshot: Snapshot, seq: number): MessageDetail | null {
  const { db, names } = snapshot;
  const stored = db
    .prepare(`SELECT CAST(event AS TEXT) AS eventJson, origin_seq AS originSeq, buried_at AS buriedAt
FROM ${names.deadLetters} WHERE seq = ?`)
    .get(seq) as StoredDeadLetter | undefined;
  if (!stored) return null;
  const [row] = readRows(snapshot, [{ seq, dead: 1 }]) as [MessageRow];
  return {
    ...row,
    eventJson: stored.eventJson,
    redacted: false,
    originSeq: asNumberOrNull(stored.originSeq),
    why: explainDeadLetter(row, asMsOrNull(stored.buriedAt)),
    fence: { seq, lockedBy: null, fence: 0, dead: true },
  };
}

/** The message whose seq `seqSql` selects from group `g`. */
function readFromGroup(snapshot: Snapshot, groupId: string, seqSql: string): MessageRow | null {
  const { db, names, now } = snapshot;
  const seq = db
    .prepare(`SELECT ${seqSql} FROM ${names.groups} g WHERE g.group_id = :groupId`)
    .pluck()
    .get({ groupId, now }) as number | null | undefined;
  return typeof seq === 'number' ? (readRows(snapshot, [{ seq, dead: 0 }])[0] ?? null) : null;
}
