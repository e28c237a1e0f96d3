/** Restarts a log that has become far too long because of a reader, at a small share of the writers' time. */
import type { Database } from 'better-sqlite3';
import { systemClock } from '../../contract/clock.ts';
import { LOG_FILE_BYTES, restartLog } from './log.ts';

const LONGEST_WAIT_MS = 100;
const WAIT_MS = 5;

/** The pause after a try in vain, as a multiple of its wait. */
const PAUSE_TIMES = 20;

export class PacedRestarts {
  readonly #db: Database;
  #notBefore = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  /** A log of a few times the usual length is worth a short wait only, and a log of many times a longer one. */
  tryIfTooLong(logBytes: number): void {
    if (logBytes <= LOG_FILE_BYTES || systemClock.monotonic() < this.#notBefore) return;
    const waitMs = Math.min(LONGEST_WAIT_MS, Math.ceil((WAIT_MS * logBytes) / LOG_FILE_BYTES));
    const { busy } = restartLog(this.#db, waitMs);
    if (busy) this.#notBefore = systemClock.monotonic() + PAUSE_TIMES * waitMs;
  }
}
