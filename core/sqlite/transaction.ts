/** One transaction for each verb: BEGIN IMMEDIATE, or a SAVEPOINT inside the caller's. */
import type { Database } from 'better-sqlite3';

/** How a verb takes part in a transaction that is open already. */
export type Joining = 'savepoint' | 'bare';

export interface Transactions {
  /** Runs `work` whole or not at all. */
  <T>(work: () => T): T;
  /**
   * 'bare': inside an open transaction work runs with nothing around it, and whoever opened that must roll all of it back
   * when it raises. Default 'savepoint'.
   */
  joining: Joining;
}

/**
 * Statements are prepared once: better-sqlite3's own `transaction()` does the same through three function calls more, which
 * is a twentieth of a publish.
 */
export function makeTransaction(db: Database): Transactions {
  const outer = {
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    rollback: db.prepare('ROLLBACK'),
  };
  const inner = {
    begin: db.prepare('SAVEPOINT leasehold'),
    commit: db.prepare('RELEASE leasehold'),
    rollback: db.prepare('ROLLBACK TO leasehold'),
  };
  const transaction = <T>(work: () => T): T => {
    const joins = db.inTransaction;
    if (joins && transaction.joining === 'bare') return work();
    const { begin, commit, rollback } = joins ? inner : outer;
    begin.run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      // A full disk or an I/O error has rolled back by itself.
      if (db.inTransaction) {
        rollback.run();
        if (joins) commit.run();
      }
      throw error;
    }
  };
  transaction.joining = 'savepoint' as Joining;
  return transaction;
}
