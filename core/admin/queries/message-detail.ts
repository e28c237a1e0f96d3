/** One message or dead letter with its whole event, and a sentence that explains its state. */
import type { MessageDetail, MessageKey, MessageRow } from '../../contract/admin.ts';
import { AnswerSize } from './answer-size.ts';
import { explainDeadLetter, explainMessage } from './explain-state.ts';
import { countGroupsAhead } from './groups-ahead.ts';
import { readRows } from './list-messages.ts';
import { headSeqSql, lastLockSql } from './message-state.ts';
import type { Snapshot } from './snapshot.ts';
import { asMsOrNull, asNumber, asNumberOrNull } from './stored-values.ts';

interface StoredMessage {
  readonly eventJson: string;
  readonly originSeq: number | null;
  readonly lockedBy: string | null;
  readonly fence: number;
}

interface StoredDeadLetter {
  readonly seq: number;
  readonly eventJson: string;
  readonly originSeq: number | null;
  readonly buriedAt: number | null;
}

export function readMessage(snapshot: Snapshot, key: MessageKey): MessageDetail | null {
  const detail = readDetail(snapshot, key);
  return detail && new AnswerSize(snapshot).add(detail);
}

function readDetail(snapshot: Snapshot, key: MessageKey): MessageDetail | null {
  if (typeof key === 'object') return readDeadLetter(snapshot, key.deadId);
  const live = readLiveMessage(snapshot, key);
  if (live) return live;
  const deadId = snapshot.db
    .prepare(`SELECT MAX(id) FROM ${snapshot.names.deadLetters} WHERE seq = ?`)
    .pluck()
    .get(key) as number | null;
  return deadId === null ? null : readDeadLetter(snapshot, deadId);
}

function readLiveMessage(snapshot: Snapshot, seq: number): MessageDetail | null {
  const { db, names } = snapshot;
  const stored = db
    .prepare(`SELECT CAST(event AS TEXT) AS eventJson, origin_seq AS originSeq, locked_by AS lockedBy,
  fence FROM ${names.messages} WHERE seq = ?`)
    .get(seq) as StoredMessage | undefined;
  if (!stored) return null;
  const [row] = readRows(snapshot, [{ seq, deadId: null }]) as [MessageRow];
  const { eventJson, originSeq, lockedBy, fence } = stored;
  return {
    ...row,
    eventJson,
    redacted: false,
    originSeq: asNumberOrNull(originSeq),
    why: explainMessage(row, {
      head: () => readFromGroupOf(snapshot, seq, headSeqSql(names)),
      lastLock: () => readFromGroupOf(snapshot, seq, lastLockSql(names)),
      groupsAhead: (floor) => countGroupsAhead(snapshot, row.groupId, floor),
    }),
    fence: { seq, lockedBy, fence, deadId: null },
  };
}

function readDeadLetter(snapshot: Snapshot, deadId: number): MessageDetail | null {
  const { db, names } = snapshot;
  const stored = db
    .prepare(`SELECT seq, CAST(event AS TEXT) AS eventJson, origin_seq AS originSeq, buried_at AS buriedAt
FROM ${names.deadLetters} WHERE id = ?`)
    .get(deadId) as StoredDeadLetter | undefined;
  if (!stored) return null;
  const seq = asNumber(stored.seq);
  const [row] = readRows(snapshot, [{ seq, deadId }]) as [MessageRow];
  return {
    ...row,
    eventJson: stored.eventJson,
    redacted: false,
    originSeq: asNumberOrNull(stored.originSeq),
    why: explainDeadLetter(row, asMsOrNull(stored.buriedAt)),
    fence: { seq, lockedBy: null, fence: 0, deadId },
  };
}

/** The message whose seq `seqSql` selects from the group `g` of message `ofSeq`. */
function readFromGroupOf(snapshot: Snapshot, ofSeq: number, seqSql: string): MessageRow | null {
  const { db, names, now } = snapshot;
  const seq = db
    .prepare(`SELECT ${seqSql} FROM ${names.groups} g
WHERE g.group_id = (SELECT group_id FROM ${names.messages} WHERE seq = :ofSeq)`)
    .pluck()
    .get({ ofSeq, now }) as number | null | undefined;
  return typeof seq === 'number' ? (readRows(snapshot, [{ seq, deadId: null }])[0] ?? null) : null;
}
