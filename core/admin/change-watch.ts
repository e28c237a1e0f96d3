/**
 * Notices that the file changed, by PRAGMA data_version, which sees every other connection's commits, those of the acts
 * included: one mechanism for this process and others, asked 4 times a second and only while somebody listens.
 */
import type { Database } from 'better-sqlite3';
import type { Clock } from '../contract/clock.ts';

export const LOOK_FOR_CHANGES_MS = 250;

export class ChangeWatch {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #changed: () => void;
  #cancel: (() => void) | undefined;
  /**
   * Taken when the file was opened and at each look, never at the start of a watch: a change right after the wish to
   * hear of changes must not fall between the two. So a watch may begin with a change from before it.
   */
  #seen: unknown;

  constructor(db: Database, clock: Clock, changed: () => void) {
    this.#db = db;
    this.#clock = clock;
    this.#changed = changed;
    this.#seen = this.#version();
  }

  start(): void {
    this.#cancel ??= this.#clock.after(LOOK_FOR_CHANGES_MS, this.#look);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  readonly #look = (): void => {
    this.#cancel = this.#clock.after(LOOK_FOR_CHANGES_MS, this.#look);
    const found = this.#version();
    if (found === this.#seen) return;
    this.#seen = found;
    this.#changed();
  };

  #version(): unknown {
    return this.#db.pragma('data_version', { simple: true });
  }
}
