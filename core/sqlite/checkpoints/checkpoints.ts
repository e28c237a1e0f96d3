/**
 * Keeps the log of a connection's file short.
 *
 * On a process's main thread, a thread of its own does the checkpoints (see checkpoint.thread.ts). On any other thread, the
 * connection does them: there is nobody whom they could delay.
 */
import { isMainThread } from 'node:worker_threads';
import type { Database, Statement } from 'better-sqlite3';
import { CheckpointThread } from './checkpoint-thread.ts';
import { CHECKPOINT_PAGES, type CheckpointResult, LOG_FILE_BYTES, restartLog } from './log.ts';
import { PacedRestarts } from './paced-restarts.ts';

/** The log's length is read once in this many commits, since reading it takes 4 µs. */
const COMMITS_PER_LOOK = 32;

/** The connection checkpoints by itself after this many pages, in case that the thread does not. */
const FALLBACK_PAGES = 8 * CHECKPOINT_PAGES;

interface Shared {
  readonly thread: CheckpointThread;
  users: number;
}

/** By the identity of their files. */
const threads = new Map<string, Shared>();

export class Checkpoints {
  readonly #db: Database;
  readonly #file: string;
  readonly #look: Statement<[], CheckpointResult>;
  readonly #pageSize: number;
  readonly #restarts: PacedRestarts;
  #usesThread = isMainThread;
  #shared: Shared | undefined;
  #commits = 0;

  /** Changes two settings of the connection, which must be Leasehold's own. `file` identifies the file. */
  constructor(db: Database, file: string) {
    this.#db = db;
    this.#file = file;
    this.#look = db.prepare<[], CheckpointResult>('PRAGMA wal_checkpoint(NOOP)');
    this.#pageSize = Number(db.pragma('page_size', { simple: true }));
    this.#restarts = new PacedRestarts(db);
    db.pragma(`journal_size_limit = ${LOG_FILE_BYTES}`);
    db.pragma(`wal_autocheckpoint = ${this.#usesThread ? FALLBACK_PAGES : CHECKPOINT_PAGES}`);
  }

  /** Call it after each commit. */
  committed(): void {
    if (++this.#commits % COMMITS_PER_LOOK === 0) this.#care(() => this.#lookAtLog());
    if (this.#shared?.thread.takeReady()) this.#care(() => restartLog(this.#db, 0));
  }

  /** The commit has succeeded, and must not appear to fail. */
  #care(run: () => void): void {
    try {
      run();
    } catch {
      // A later look tries again. An error that lasts is raised by the next write.
    }
  }

  /** Ends the thread unless another connection uses it. Call it before the connection is closed. */
  close(): void {
    if (!this.#shared || --this.#shared.users > 0) return;
    threads.delete(this.#file);
    this.#shared.thread.close();
  }

  #lookAtLog(): void {
    const { log } = this.#look.get() as CheckpointResult;
    if (log < CHECKPOINT_PAGES) return;
    if (this.#usesThread) this.#wakeThread();
    else this.#restarts.tryIfTooLong(log * this.#pageSize);
  }

  #wakeThread(): void {
    try {
      this.#shared ??= this.#join();
      this.#shared.thread.wake();
      if (!this.#shared.thread.hasEnded) return;
    } catch {
      // No thread could be started: its file is missing, as in an app whose bundler left it out.
    }
    this.#usesThread = false;
    this.#db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  }

  #join(): Shared {
    const shared = threads.get(this.#file) ?? {
      thread: new CheckpointThread(this.#db.name, this.#file),
      users: 0,
    };
    threads.set(this.#file, shared);
    shared.users++;
    return shared;
  }
}
