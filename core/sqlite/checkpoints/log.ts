/** The log (the `-wal` file): its limits, its length, and the checkpoints that copy its pages into the database file. */
import type { Database } from 'better-sqlite3';

/** A checkpoint begins when the log has this many pages: 8 MB with pages of 2 KiB. */
export const CHECKPOINT_PAGES = 4000;

/** A log file that has become longer is cut back to this size when the log starts again. A shorter one would only have to grow again. */
export const LOG_FILE_BYTES = 16 * 2 ** 20;

const TRUNCATE_WAIT_MS = 100;

/** What `PRAGMA wal_checkpoint` returns, in pages. Both lengths are -1 when the file has no log or another one is at work. */
export interface CheckpointResult {
  /** 1: readers or a writer were in the way. */
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}

type CheckpointMode = 'PASSIVE' | 'RESTART' | 'TRUNCATE' | 'NOOP';

export function checkpoint(db: Database, mode: CheckpointMode): CheckpointResult {
  const [result] = db.pragma(`wal_checkpoint(${mode})`) as CheckpointResult[];
  return result as CheckpointResult;
}

export function logLength(db: Database): CheckpointResult {
  return checkpoint(db, 'NOOP');
}

/**
 * Copies what is left, and makes the next write start at the log's beginning. While it waits for readers to leave the log,
 * no connection can write. TRUNCATE also gives the log's space back to the disk.
 */
export function restartLog(
  db: Database,
  waitMs: number,
  mode: 'RESTART' | 'TRUNCATE' = 'RESTART',
): CheckpointResult {
  const before = Number(db.pragma('busy_timeout', { simple: true }));
  db.pragma(`busy_timeout = ${waitMs}`);
  try {
    return checkpoint(db, mode);
  } finally {
    db.pragma(`busy_timeout = ${before}`);
  }
}

/** Gives the log's space back to a full disk. False when even the pages of the log find no room in the file. */
export function truncateLog(db: Database): boolean {
  try {
    restartLog(db, TRUNCATE_WAIT_MS, 'TRUNCATE');
    return true;
  } catch {
    return false;
  }
}
