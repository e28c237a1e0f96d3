/** One message or dead letter, whole, with the sentence that says why it waits. */
import type { Database } from 'better-sqlite3';
import type { Names } from '../sqlite/names.ts';
import { toMsOrNull } from '../sqlite/seconds.ts';
import type { Fence, MessageDetail, MessageRow } from './contract.ts';
import { rowsFor } from './read-messages.ts';
import { headSeq } from './state.ts';
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
    .prepare(`SELECT event AS eventJson, origin_seq AS originSeq, locked_by AS lockedBy, lock_expiry AS lockExpiry,
  deliveries, NULL AS buriedAt FROM ${names.messages} WHERE seq = ?`)
    .get(seq) as Stored | undefined;
  const stored = live ?? deadLetter(db, names, seq);
  if (!stored) return null;
  const [row] = rowsFor(db, names, [{ seq, dead: live ? 0 : 1 }], now) as [MessageRow];
  return {
    ...row,
    eventJson: String(stored.eventJson),
    originSeq: stored.originSeq,
    why: live
      ? whyLive(row, headOf(db, names, row.groupId, now), turnOf(db, names, row))
      : whyDead(row, toMsOrNull(stored.buriedAt)),
    fence: fenceOf(seq, stored, !live),
  };
}

function deadLetter(db: Database, { deadLetters }: Names, seq: number): Stored | undefined {
  return db
    .prepare(`SELECT event AS eventJson, origin_seq AS originSeq, NULL AS lockedBy, NULL AS lockExpiry,
  0 AS deliveries, buried_at AS buriedAt FROM ${deadLetters} WHERE seq = ?`)
    .get(seq) as Stored | undefined;
}

function fenceOf(seq: number, { lockedBy, lockExpiry, deliveries }: Stored, dead: boolean): Fence {
  return { seq, lockedBy, lockExpiry, deliveries, dead };
}

function headOf(db: Database, names: Names, groupId: string, now: number): MessageRow | null {
  const seq = db
    .prepare(`SELECT ${headSeq(names)} FROM ${names.groups} g WHERE g.group_id = ?`)
    .pluck()
    .get(groupId) as number | undefined;
  return seq === undefined ? null : (rowsFor(db, names, [{ seq, dead: 0 }], now)[0] ?? null);
}

/** How many unmarked groups of its priority have their turn before this message's group; counting ends at 1,000. */
function turnOf(db: Database, names: Names, { groupId }: MessageRow): number {
  return db
    .prepare(`SELECT COUNT(*) FROM (SELECT 1 FROM ${names.groups} g JOIN ${names.groups} own ON own.group_id = ?
  WHERE g.priority = own.priority AND g.blocked_until IS NULL
    AND (g.last_claimed_at, g.rowid) < (own.last_claimed_at, own.rowid) LIMIT 1000)`)
    .pluck()
    .get(groupId) as number;
}
