import type { Database, Statement } from 'better-sqlite3';
import type { Transaction } from './transaction.ts';

/**
 * Counts the rows that are changed on the app's own connection by others than this transport: by SQL of the app, which may
 * concern the queue, or by another transport on the connection. Such changes leave `PRAGMA data_version` as it is.
 */
export class AppChanges {
  readonly #total: Statement<[], number | bigint>;
  #own = 0;

  constructor(db: Database) {
    this.#total = db.prepare<[], number | bigint>('SELECT total_changes()').pluck();
  }

  /** It only rises. */
  get rows(): number {
    return this.#readTotal() - this.#own;
  }

  /** The transaction of the transport, whose changes are not counted. */
  without({ own, joined }: Transaction): Transaction {
    const uncounted = <T>(run: () => T): T => {
      const before = this.#readTotal();
      try {
        return run();
      } finally {
        this.#own += this.#readTotal() - before;
      }
    };
    return {
      own: (work) => uncounted(() => own(work)),
      joined: (work) => uncounted(() => joined(work)),
    };
  }

  #readTotal(): number {
    return Number(this.#total.get());
  }
}
