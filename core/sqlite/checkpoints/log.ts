/** The log (the `-wal` file): its limits, its length, and the checkpoints that copy its pages into the database file. */
import type { Database } from 'better-sqlite3';

/** A checkpoint begins when the log has this many pages: 8 MB with pages of 2 KiB. */
export const CHECKPOINT_PAGES = 4000;

/** A log file that has become longer is cut back to this size when the log starts again. A shorter one would only have to grow again. */
export const LOG_FILE_BYTES = 16 * 2 ** 20;

/** What `PRAGMA wal_checkpoint` returns, in pages. Both lengths are -1 when the file has no log or another one is at work. */
export interface CheckpointResult {
  /** 1: readers or a writer were in the way. */
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}

export function checkpoint(db: Database, mode: 'PASSIVE' | 'RESTART' | 'NOOP'): CheckpointResult {
  const [result] = db.pragma(`wal_checkpoint(${mode})`) as CheckpointResult[];
  return result as CheckpointResult;
}

export function logLength(db: Database): CheckpointResult {
  return checkpoint(db, 'NOOP');
}

/**
 * Copies what is left, and makes the next write start at the log's beginning. While it waits for readers to leave the log,
 * no connection can write.
 */
export function restartLog(db: Database, waitMs: number): CheckpointResult {
  const before = Number(db.pragma('busy_timeout', { simple: true }));
  db.pragma(`busy_timeout = ${waitMs}`);
  try {
    return checkpoint(db, 'RESTART');
  } finally {
    db.pragma(`busy_timeout = ${before}`);
  }
}
