/**
 * Notices changes of the file through PRAGMA data_version, which changes with the commits of every other connection: those
 * of other processes, of this process's transports, and of the admin's own operations.
 *
 * It polls 4 times a second, and only while it is started. A change is reported once the admin may read again (see
 * paced-reads.ts). These are the only limits on how often the inspector refreshes: the IPC handlers and the page have none.
 */
import type { Database } from 'better-sqlite3';
import type { Clock } from '../contract/clock.ts';

export const CHANGE_INTERVAL_MS = 250;

export class ChangeWatch {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #mayReport: () => boolean;
  #cancelTimer: (() => void) | undefined;
  /**
   * Read when the file is opened and at each poll, but not by start(): a change right after a caller subscribes must be
   * reported. The first report may therefore be of a change from before start().
   */
  #lastVersion: unknown;

  constructor(db: Database, clock: Clock, onChange: () => void, mayReport = () => true) {
    this.#db = db;
    this.#clock = clock;
    this.#onChange = onChange;
    this.#mayReport = mayReport;
    this.#lastVersion = this.#readVersion();
  }

  start(): void {
    this.#cancelTimer ??= this.#clock.after(CHANGE_INTERVAL_MS, this.#poll);
  }

  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  readonly #poll = (): void => {
    // Before the callback, which may call stop().
    this.#cancelTimer = this.#clock.after(CHANGE_INTERVAL_MS, this.#poll);
    if (!this.#mayReport()) return;
    const version = this.#readVersion();
    if (version === this.#lastVersion) return;
    this.#lastVersion = version;
    this.#onChange();
  };

  /** A file that cannot be read has changed: the reads that follow say why. */
  #readVersion(): unknown {
    try {
      return this.#db.pragma('data_version', { simple: true });
    } catch {
      return 'unreadable';
    }
  }
}
