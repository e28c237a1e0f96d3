/** One message or dead letter, whole, with the sentence that says why it waits. */
import type { Database } from 'better-sqlite3';
import type { MessageDetail, MessageFence, MessageRow } from '../../contract/admin.ts';
import type { Names } from '../../sqlite/file/names.ts';
import { toMsOrNull } from '../../sqlite/file/time-units.ts';
import { groupsAhead } from './groups-ahead.ts';
import { headSeq, lastLockSql } from './message-state.ts';
import { rowsFor } from './messages.ts';
import { bound } from './page-filter.ts';
import { whyDead, whyLive } from './why.ts';

interface Stored {
  readonly eventJson: string;
  readonly originSeq: number | null;
  readonly lockedBy: string | null;
  readonly lockExpiry: number | null;
  readonly deliveries: number;
  readonly buriedAt: number | null;
}

export function messageDetail(db: Database, names: Names, seq: number, now: number): MessageDetail | null {
  const live = db
    .prepare(`SELECT CAST(event AS TEXT) AS eventJson, origin_seq AS originSeq, locked_by AS lockedBy, lock_expiry AS lockExpiry,
  deliveries, NULL AS buriedAt FROM ${names.messages} WHERE seq = ?`)
    .get(seq) as Stored | undefined;
  const stored = live ?? deadLetter(db, names, seq);
  if (!stored) return null;
  const [row] = rowsFor(db, names, [{ seq, dead: live ? 0 : 1 }], now) as [MessageRow];
  return {
    ...row,
    eventJson: stored.eventJson,
    redacted: false,
    originSeq: stored.originSeq,
    why: live
      ? whyLive(row, {
          head: () => inGroup(db, names, row, headSeq(names), now),
          lastLock: () => inGroup(db, names, row, lastLockSql(names), now),
          ahead: (floor) => groupsAhead(db, names, row.groupId, floor, now),
        })
      : whyDead(row, toMsOrNull(stored.buriedAt)),
    fence: fenceOf(seq, stored, !live),
  };
}

function deadLetter(db: Database, { deadLetters }: Names, seq: number): Stored | undefined {
  return db
    .prepare(`SELECT CAST(event AS TEXT) AS eventJson, origin_seq AS originSeq, NULL AS lockedBy, NULL AS lockExpiry,
  0 AS deliveries, buried_at AS buriedAt FROM ${deadLetters} WHERE seq = ?`)
    .get(seq) as Stored | undefined;
}

function fenceOf(seq: number, { lockedBy, lockExpiry, deliveries }: Stored, dead: boolean): MessageFence {
  return { seq, lockedBy, lockExpiry, deliveries, dead };
}

/** The message of the same group that `seqSql` names. */
function inGroup(
  db: Database,
  names: Names,
  { groupId }: MessageRow,
  seqSql: string,
  now: number,
): MessageRow | null {
  const sql = `SELECT ${seqSql} FROM ${names.groups} g WHERE g.group_id = :groupId`;
  const seq = db.prepare(sql).pluck().get(bound(sql, { groupId, now })) as number | null | undefined;
  return typeof seq === 'number' ? (rowsFor(db, names, [{ seq, dead: 0 }], now)[0] ?? null) : null;
}
