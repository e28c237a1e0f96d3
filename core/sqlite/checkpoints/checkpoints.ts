/**
 * Keeps the log of a connection's file short.
 *
 * On a process's main thread, with durability 'normal', a thread of its own does the checkpoints (see checkpoint.thread.ts).
 * With 'full', each commit has synchronized its part of the log, and a thread's fsyncs would delay those of the commits. The
 * connection then does short checkpoints, each in a turn of the event loop of its own. On another thread there is nobody whom
 * a checkpoint could delay, and SQLite does it by itself.
 */
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type { Database, Statement } from 'better-sqlite3';
import { absolutePath } from '../file/absolute-path.ts';
import type { Durability } from '../file/prepare-connection.ts';
import { CheckpointThread } from './checkpoint-thread.ts';
import {
  CHECKPOINT_PAGES,
  type CheckpointResult,
  checkpoint,
  LOG_FILE_BYTES,
  restartLog,
  truncateLog,
} from './log.ts';
import { OwnTurn } from './own-turn.ts';
import { PacedRestarts } from './paced-restarts.ts';

/** The log's length is read when about this many pages were added, since reading it takes 6 µs; at the latest after so many commits. */
const PAGES_PER_LOOK = 500;
const MOST_COMMITS_PER_LOOK = 256;
/** The first look comes early: commits may be large. */
const FIRST_COMMITS = 16;

/** With less space than this on the disk, the log's length is read after each commit. */
const LITTLE_SPACE_BYTES = 64 * 2 ** 20;
/** While there is more, the free space is read at each of so many looks. */
const LOOKS_PER_SPACE_LOOK = 8;

/** The thread is started so early, to be there when the first checkpoint is due. */
const START_THREAD_PAGES = 1000;

/** A checkpoint by the main thread begins so early, to block its event loop for a shorter time. */
const SHORT_CHECKPOINT_PAGES = 1000;

/** On the main thread SQLite checkpoints by itself only after this many pages, in case that nothing else does. */
const FALLBACK_PAGES = 8 * CHECKPOINT_PAGES;

/** Publishing raises DISK_FULL before this space is used. */
const RESERVED_BYTES = 256 * 1024;

/** SQLite's own limit. */
const MOST_PAGES = 0xfffffffe;

interface Shared {
  readonly thread: CheckpointThread;
  users: number;
}

/** By the identity of their files. */
const threads = new Map<string, Shared>();

export class Checkpoints {
  readonly #db: Database;
  readonly #file: string;
  /** Absolute, since the process may change its working directory. */
  readonly #path: string;
  readonly #look: Statement<[], CheckpointResult>;
  readonly #pageSize: number;
  readonly #restarts: PacedRestarts;
  readonly #ownTurn = new OwnTurn(() => this.#care(() => this.#copyPages()));
  readonly #checkpointPages: number;
  #usesThread: boolean;
  #shared: Shared | undefined;
  #commitsPerLook = FIRST_COMMITS;
  #commits = 0;
  #lastLog = 0;
  #looks = 0;
  #free = 0;
  #isLimited = false;

  /** Changes settings of the connection, which must be Leasehold's own. `file` identifies the file. */
  constructor(db: Database, file: string, durability: Durability) {
    this.#db = db;
    this.#usesThread = isMainThread && durability === 'normal';
    this.#checkpointPages = isMainThread && !this.#usesThread ? SHORT_CHECKPOINT_PAGES : CHECKPOINT_PAGES;
    this.#file = file;
    this.#path = absolutePath(db.name);
    this.#look = db.prepare<[], CheckpointResult>('PRAGMA wal_checkpoint(NOOP)');
    this.#pageSize = Number(db.pragma('page_size', { simple: true }));
    this.#restarts = new PacedRestarts(db);
    db.pragma(`journal_size_limit = ${LOG_FILE_BYTES}`);
    db.pragma(`wal_autocheckpoint = ${isMainThread ? FALLBACK_PAGES : CHECKPOINT_PAGES}`);
    this.#care(() => this.#lookAtLog());
  }

  /** Call it after each commit. */
  committed(): void {
    if (++this.#commits >= this.#commitsPerLook) this.#care(() => this.#lookAtLog());
    this.#ownTurn.committed();
    if (this.#shared?.thread.takeReady()) this.#ownTurn.schedule();
  }

  /** For a full disk. Returns whether a failed transaction may succeed now. */
  makeRoom(): boolean {
    const hasRoom = truncateLog(this.#db);
    this.#care(() => this.#limitFile(freeBytes(this.#path)));
    return hasRoom;
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
    this.#ownTurn.cancel();
    if (!this.#shared || --this.#shared.users > 0) return;
    threads.delete(this.#file);
    this.#shared.thread.close();
  }

  #lookAtLog(): void {
    const { log } = this.#look.get() as CheckpointResult;
    // Another connection is at work on it.
    if (log < 0) return;
    this.#planNextLook(log);
    if (this.#isLimited || this.#looks++ % LOOKS_PER_SPACE_LOOK === 0) this.#free = freeBytes(this.#path);
    const free = this.#free;
    // A checkpoint may need as much space in the file as the log has pages. Later it would find none, and nothing could free any.
    if (log * this.#pageSize > free) truncateLog(this.#db);
    else this.#checkpoint(log);
    this.#limitFile(free);
  }

  #checkpoint(log: number): void {
    if (this.#usesThread && log >= START_THREAD_PAGES) this.#askThread(log >= CHECKPOINT_PAGES);
    if (this.#usesThread || log < this.#checkpointPages) return;
    if (isMainThread) this.#ownTurn.schedule();
    this.#restarts.tryIfTooLong(log * this.#pageSize);
  }

  /** All pages, or those that the thread has left. */
  #copyPages(): void {
    if (this.#usesThread) restartLog(this.#db, 0);
    else checkpoint(this.#db, 'PASSIVE');
  }

  #planNextLook(log: number): void {
    const added = log >= this.#lastLog ? log - this.#lastLog : log;
    const pagesPerCommit = added / Math.max(1, this.#commits);
    this.#lastLog = log;
    if (this.#commits > 0)
      this.#commitsPerLook = Math.min(MOST_COMMITS_PER_LOOK, Math.ceil(PAGES_PER_LOOK / pagesPerCommit));
    this.#commits = 0;
  }

  /**
   * A commit that enlarges the file needs the space twice: in the log, and for the checkpoint. Without a limit, a publish could
   * use up the space that claims and acks need in the log.
   */
  #limitFile(free: number): void {
    const isLittle = free < LITTLE_SPACE_BYTES;
    if (isLittle) this.#commitsPerLook = 1;
    if (!isLittle && !this.#isLimited) return;
    this.#isLimited = isLittle;
    const pages = Number(this.#db.pragma('page_count', { simple: true }));
    const more = Math.max(0, Math.floor((free - RESERVED_BYTES) / 2 / this.#pageSize));
    this.#db.pragma(`max_page_count = ${isLittle ? pages + more : MOST_PAGES}`);
  }

  #askThread(isDue: boolean): void {
    try {
      this.#shared ??= this.#join();
      if (isDue) this.#shared.thread.wake();
      if (!this.#shared.thread.hasEnded) return;
    } catch {
      // No thread could be started: its file is missing, as in an app whose bundler left it out.
    }
    this.#usesThread = false;
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

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize;
}
