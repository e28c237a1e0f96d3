/**
 * Events wait here until the transaction that made them true has committed. Where a verb joined the caller's own
 * transaction, its end is not seen by us: they wait until the connection is out of it. If the caller rolled back, those
 * events tell of something that did not stay; listeners look at the queue itself, so that is a false alarm, no harm.
 */
import type { Database } from 'better-sqlite3';
import type { Emitter } from '../contract/emitter.ts';
import type { TransportEventName, TransportEvents } from '../contract/transport.ts';

/** How often a caller's transaction that spans turns of the event loop is looked at. */
const LOOK_AGAIN_MS = 10;

interface Mark {
  readonly events: number;
  readonly effects: number;
}

export class PostCommitEvents {
  readonly #db: Database;
  readonly #emitter: Emitter<TransportEvents>;
  readonly #later: (run: () => void) => void;
  #effects: (() => void)[] = [];
  #waiting: { name: TransportEventName; detail: never }[] = [];
  #scheduled = false;
  #flushing = false;

  constructor(db: Database, emitter: Emitter<TransportEvents>, later: (ms: number, run: () => void) => void) {
    this.#db = db;
    this.#emitter = emitter;
    this.#later = (run) => later(LOOK_AGAIN_MS, run);
  }

  readonly emitAfterCommit = <Name extends TransportEventName>(
    name: Name,
    detail: TransportEvents[Name],
  ): void => {
    if (this.#emitter.has(name)) this.#waiting.push({ name, detail: detail as never });
  };

  readonly afterCommit = (effect: () => void): void => {
    this.#effects.push(effect);
  };

  /** The transaction has committed: for whoever ended it. */
  committed(): void {
    const effects = this.#effects;
    if (effects.length > 0) {
      this.#effects = [];
      for (const effect of effects) effect();
    }
    this.flush();
  }

  /** The end of both lists now, for `forget`. */
  mark(): Mark {
    return { events: this.#waiting.length, effects: this.#effects.length };
  }

  /** Drops the events and effects that were added since `mark`: their transaction or savepoint was rolled back. */
  forget({ events, effects }: Mark): void {
    this.#waiting.length = events;
    this.#effects.length = effects;
  }

  forgetAll(): void {
    this.forget({ events: 0, effects: 0 });
  }

  /** Emits what is waiting, unless the connection is still inside the caller's transaction. */
  readonly flush = (): void => {
    if (this.#waiting.length === 0) return;
    if (this.#db.open && this.#db.inTransaction) {
      this.#flushLater();
      return;
    }
    // What a listener brings about is told after what it was told of, by the flush that is under way.
    if (this.#flushing) return;
    this.#flushing = true;
    while (this.#waiting.length > 0) {
      const events = this.#waiting;
      this.#waiting = [];
      for (const { name, detail } of events) this.#emitter.emit(name, detail);
    }
    this.#flushing = false;
  };

  /** Most transactions end within this turn of the event loop; one that does not is looked at from time to time. */
  #flushLater(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const look = () => {
      this.#scheduled = false;
      this.#effects = [];
      this.flush();
    };
    queueMicrotask(() => {
      if (this.#db.open && this.#db.inTransaction) this.#later(look);
      else look();
    });
  }
}
