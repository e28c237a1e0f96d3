/**
 * Holds events until the transaction that caused them has committed.
 *
 * The engine ends its own transactions and calls `committed` or `forget`. In a caller's transaction, events wait until the
 * connection is no longer in a transaction. Each of them is then looked up in the file, since the caller may have rolled back.
 */
import type { Database } from 'better-sqlite3';
import type { Emitter } from '../contract/emitter.ts';
import type { TransportEventName, TransportEvents } from '../contract/transport.ts';
import type { EventWitness } from './event-witness.ts';

/** How often to check a caller's transaction that outlasts the current turn of the event loop. */
const CHECK_MS = 10;

/** The length of both lists at some moment, and whether there was news. */
export interface Mark {
  readonly events: number;
  readonly effects: number;
  readonly hasNews: boolean;
}

interface HeldEvent {
  readonly name: TransportEventName;
  readonly detail: never;
  /** Undefined after a commit of our own. */
  isTrue?: () => boolean;
}

export class PostCommitEvents {
  readonly #db: Database;
  readonly #emitter: Emitter<TransportEvents>;
  readonly #after: (ms: number, run: () => void) => void;
  #effects: (() => void)[] = [];
  #events: HeldEvent[] = [];
  readonly #onNews: () => void;
  /**
   * Other transports may have more to claim, or earlier, since `onNews` was last called. A claim does not count: transports
   * that claim whenever another one has claimed would never end.
   */
  #hasNews = false;
  #scheduled = false;
  #flushing = false;

  /** `onNews` is called after a commit that can give other transports something to claim. */
  constructor(
    db: Database,
    emitter: Emitter<TransportEvents>,
    after: (ms: number, run: () => void) => void,
    onNews: () => void,
  ) {
    this.#db = db;
    this.#onNews = onNews;
    this.#emitter = emitter;
    this.#after = after;
  }

  readonly emitAfterCommit = <Name extends TransportEventName>(
    name: Name,
    detail: TransportEvents[Name],
  ): void => {
    if (name !== 'claimed' && name !== 'extended') this.#hasNews = true;
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
    this.#deliver();
  }

  /** Call it after work in a caller's transaction: its outcome is unknown, so its effects since `mark` are dropped. */
  leaveToCaller(mark: Mark, witness: EventWitness): void {
    this.#effects.length = mark.effects;
    for (const event of this.#events.slice(mark.events)) {
      const { seq } = event.detail as { seq: number };
      event.isTrue = witness(event.name, seq);
    }
    this.flush();
  }

  mark(): Mark {
    return { events: this.#events.length, effects: this.#effects.length, hasNews: this.#hasNews };
  }

  /** Drops everything since `mark`, after a rollback of the transaction or savepoint that began there. */
  forget({ events, effects, hasNews }: Mark): void {
    this.#hasNews = hasNews;
    this.#events.length = events;
    this.#effects.length = effects;
  }

  forgetAll(): void {
    this.forget({ events: 0, effects: 0, hasNews: false });
  }

  /** Emits the events now, or once the caller's transaction has ended. */
  flush(): void {
    if (this.#events.length === 0 && !this.#hasNews) return;
    if (this.#db.inTransaction) this.#flushLater();
    else this.#deliver();
  }

  #deliver(): void {
    if (this.#hasNews) {
      this.#hasNews = false;
      this.#onNews();
    }
    // Events raised by listeners are delivered after the current batch, by the loop that is already running.
    if (this.#flushing) return;
    this.#flushing = true;
    while (this.#events.length > 0) {
      const events = this.#events;
      this.#events = [];
      for (const { name, detail, isTrue } of events)
        if (!isTrue || this.#ask(isTrue)) this.#emitter.emit(name, detail);
    }
    this.#flushing = false;
  }

  /** An event that the file can no longer prove is not emitted, as when the caller has closed the connection. */
  #ask(isTrue: () => boolean): boolean {
    try {
      return isTrue();
    } catch {
      return false;
    }
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
      if (this.#db.inTransaction) this.#after(CHECK_MS, check);
      else check();
    });
  }
}
