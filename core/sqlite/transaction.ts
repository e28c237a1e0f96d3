/** Runs a verb in a transaction of its own (BEGIN IMMEDIATE), or as part of one that is open. */
import type { Database } from 'better-sqlite3';

/**
 * How work joins an open transaction. 'savepoint': in a SAVEPOINT, so that it can be rolled back alone. 'bare': with nothing
 * around it; when it raises, whoever opened the transaction must roll all of it back.
 */
export type Joining = 'savepoint' | 'bare';

/** Runs `work` completely or not at all. */
export type Transaction = <T>(work: () => T, joining?: Joining) => T;

/**
 * The statements are prepared once. better-sqlite3's own `transaction()` does the same through three more function calls, a
 * twentieth of a publish.
 */
export function makeTransaction(db: Database): Transaction {
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
  return (work, joining = 'savepoint') => {
    const joins = db.inTransaction;
    if (joins && joining === 'bare') return work();
    const { begin, commit, rollback } = joins ? inner : outer;
    begin.run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      // After a full disk or an I/O error SQLite has already rolled back.
      if (db.inTransaction) {
        rollback.run();
        if (joins) commit.run();
      }
      throw error;
    }
  };
}
