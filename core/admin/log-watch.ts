/** Notices that a checkpoint waits for the admin's reads to pause. */
import type { Database } from 'better-sqlite3';
import type { Clock } from '../contract/clock.ts';
import { CHECKPOINT_PAGES, logLength } from '../sqlite/checkpoints/log.ts';

/** A log that has not changed for so long has no writer that could restart it. */
const IDLE_MS = 500;

/** Returns a function that tells whether the log is longer than a checkpoint lets it be, and somebody writes to it. */
export function watchLog(db: Database, clock: Clock): () => boolean {
  let length = 0;
  let changedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.monotonic();
    const { log } = logLength(db);
    if (log !== length) changedAt = now;
    length = log;
    return log > CHECKPOINT_PAGES && now - changedAt < IDLE_MS;
  };
}
