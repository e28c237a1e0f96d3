/**
 * The thread that checkpoints one file, so that the thread that writes to it never waits for the copying of pages, nor for
 * the disk that they are written to.
 *
 * A PASSIVE checkpoint takes no lock that a writer needs. While a writer is busy, however, new pages arrive during each one,
 * and the log could never start again. The writer itself therefore copies the last pages, when few are left.
 */
import { workerData } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { openFile } from '../file/open-file.ts';
import { CLOSED, OPEN, PHASE, READY, SIGNALS, STARTING, type ThreadData } from './checkpoint-protocol.ts';
import { checkpoint, logLength } from './log.ts';
import { PacedRestarts } from './paced-restarts.ts';
import { syncFile } from './sync-file.ts';

/** The writer copies about this many pages, or more after several rounds. */
const LAST_PAGES = 200;
/** Each round copies the pages that arrived during the one before. */
const MOST_ROUNDS = 6;
/** How long to wait for the writer to copy the last pages. */
const WRITER_MS = 2;
/** How long to wait for a reader that keeps the log's pages from being copied. */
const READER_MS = 20;

const { path, identity, state } = workerData as ThreadData;

// First of all: an owner that has closed meanwhile does not wait, and the file may be gone, or another one.
if (Atomics.compareExchange(state, PHASE, STARTING, OPEN) === STARTING) {
  try {
    const db = openFile(path, { mustExist: true, busyTimeoutMs: 0, identity });
    try {
      // On macOS a plain fsync does not reach the disk.
      db.pragma('checkpoint_fullfsync = ON');
      serve(db);
    } finally {
      db.close();
    }
  } finally {
    Atomics.store(state, PHASE, CLOSED);
    Atomics.notify(state, PHASE);
  }
}

function serve(db: Database): void {
  const restarts = new PacedRestarts(db);
  const pageSize = Number(db.pragma('page_size', { simple: true }));
  for (let seen = 0; Atomics.load(state, PHASE) === OPEN; seen = Atomics.load(state, SIGNALS)) {
    Atomics.wait(state, SIGNALS, seen);
    if (copyPages(db)) {
      Atomics.store(state, READY, 1);
      pause(WRITER_MS);
    } else pause(READER_MS);
    restarts.tryIfTooLong(logLength(db).log * pageSize);
  }
}

/**
 * Copies until few pages are left, and has the disk store them, so that the last checkpoint has little to store. Returns
 * false when a reader, or a writer that is too fast, prevents it.
 */
function copyPages(db: Database): boolean {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    checkpoint(db, 'PASSIVE');
    const { log, checkpointed } = logLength(db);
    // On a slow disk more pages arrive during each round.
    if (log - checkpointed > LAST_PAGES * (round + 1)) continue;
    syncFile(path);
    checkpoint(db, 'PASSIVE');
    return true;
  }
  return false;
}

/** Ends early when the owner closes. */
function pause(ms: number): void {
  Atomics.wait(state, PHASE, OPEN, ms);
}
