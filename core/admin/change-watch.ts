/**
 * Notices changes of the file through PRAGMA data_version, which changes with the commits of every other connection: those
 * of other processes, of this process's transports, and of the admin's own operations.
 *
 * It looks 4 times a second, and only while somebody listens. This is the only limit on how often the inspector refreshes:
 * neither the IPC handlers nor the page add another one.
 */
import type { Database } from 'better-sqlite3';
import type { Clock } from '../contract/clock.ts';

export const CHANGE_INTERVAL_MS = 250;

export class ChangeWatch {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #cancelTimer: (() => void) | undefined;
  /**
   * Read when the file is opened and at each look, but not at the start of a watch: a change right after a caller subscribes
   * must be reported. So a watch may begin with a change from before it.
   */
  #lastVersion: unknown;

  constructor(db: Database, clock: Clock, onChange: () => void) {
    this.#db = db;
    this.#clock = clock;
    this.#onChange = onChange;
    this.#lastVersion = this.#readVersion();
  }

  start(): void {
    this.#cancelTimer ??= this.#clock.after(CHANGE_INTERVAL_MS, this.#look);
  }

  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  readonly #look = (): void => {
    // Before the callback, which may call stop().
    this.#cancelTimer = this.#clock.after(CHANGE_INTERVAL_MS, this.#look);
    const version = this.#readVersion();
    if (version === this.#lastVersion) return;
    this.#lastVersion = version;
    this.#onChange();
  };

  #readVersion(): unknown {
    return this.#db.pragma('data_version', { simple: true });
  }
}
