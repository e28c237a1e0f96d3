/**
 * Holds events until the transaction that caused them has committed.
 *
 * The engine ends its own transactions and calls `committed` or `forget`. In a caller's transaction, events fire when the
 * connection is no longer in a transaction. Whether it committed or rolled back is unknown. After a rollback those events
 * are false alarms. They do no harm, because listeners look at the queue themselves.
 */
import type { Database } from 'better-sqlite3';
import type { Emitter } from '../contract/emitter.ts';
import type { TransportEventName, TransportEvents } from '../contract/transport.ts';

/** How often to check a caller's transaction that outlasts the current turn of the event loop. */
const CHECK_MS = 10;

/** The length of both lists at some moment. */
interface Mark {
  readonly events: number;
  readonly effects: number;
}

export class PostCommitEvents {
  readonly #db: Database;
  readonly #emitter: Emitter<TransportEvents>;
  readonly #after: (ms: number, run: () => void) => void;
  #effects: (() => void)[] = [];
  #events: { name: TransportEventName; detail: never }[] = [];
  #scheduled = false;
  #flushing = false;

  constructor(db: Database, emitter: Emitter<TransportEvents>, after: (ms: number, run: () => void) => void) {
    this.#db = db;
    this.#emitter = emitter;
    this.#after = after;
  }

  readonly emitAfterCommit = <Name extends TransportEventName>(
    name: Name,
    detail: TransportEvents[Name],
  ): void => {
    if (this.#emitter.has(name)) this.#events.push({ name, detail: detail as never });
  };

  readonly afterCommit = (effect: () => void): void => {
    this.#effects.push(effect);
  };

  /** Call it after the COMMIT. */
  committed(): void {
    const effects = this.#effects;
    if (effects.length > 0) {
      this.#effects = [];
      for (const effect of effects) effect();
    }
    this.flush();
  }

  /** Call it after work in a caller's transaction: its outcome is unknown, so its effects are dropped. */
  leaveToCaller(): void {
    this.#effects = [];
    this.flush();
  }

  mark(): Mark {
    return { events: this.#events.length, effects: this.#effects.length };
  }

  /** Drops everything since `mark`, after a rollback of the transaction or savepoint that began there. */
  forget({ events, effects }: Mark): void {
    this.#events.length = events;
    this.#effects.length = effects;
  }

  forgetAll(): void {
    this.forget({ events: 0, effects: 0 });
  }

  /** Emits the events now, or once the caller's transaction has ended. */
  flush(): void {
    if (this.#events.length === 0) return;
    if (this.#isInTransaction) {
      this.#flushLater();
      return;
    }
    // Events raised by listeners are delivered after the current batch, by the loop that is already running.
    if (this.#flushing) return;
    this.#flushing = true;
    while (this.#events.length > 0) {
      const events = this.#events;
      this.#events = [];
      for (const { name, detail } of events) this.#emitter.emit(name, detail);
    }
    this.#flushing = false;
  }

  get #isInTransaction(): boolean {
    return this.#db.open && this.#db.inTransaction;
  }

  /** Most transactions end within the current turn of the event loop; the others are checked at intervals. */
  #flushLater(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const check = () => {
      this.#scheduled = false;
      this.flush();
    };
    queueMicrotask(() => {
      if (this.#isInTransaction) this.#after(CHECK_MS, check);
      else check();
    });
  }
}
