/** Runs a verb in a transaction of its own (BEGIN IMMEDIATE), or as part of one that is open. */
import type { Database } from 'better-sqlite3';
import type { LockWait } from './lock-wait.ts';

/**
 * How work joins an open transaction. 'savepoint': in a SAVEPOINT, so that it can be rolled back alone. 'bare': with nothing
 * around it; when it raises, whoever opened the transaction must roll all of it back.
 */
export type Joining = 'savepoint' | 'bare';

/** Both run `work` completely or not at all. */
export interface Transaction {
  /** In a transaction of its own. */
  own<T>(work: () => T): T;
  /** In a SAVEPOINT of the transaction that is open. */
  joined<T>(work: () => T): T;
}

/**
 * The statements are prepared once. better-sqlite3's own `transaction()` does the same through three more function calls, a
 * twentieth of a publish. Without `lockWait`, SQLite itself waits for the write lock.
 */
export function makeTransaction(db: Database, lockWait: LockWait | undefined): Transaction {
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
  const takeLock = () => void outer.begin.run();

  function own<T>(work: () => T): T {
    if (lockWait) {
      lockWait.beforeTransaction();
      lockWait.until(takeLock);
    } else takeLock();
    try {
      const result = work();
      outer.commit.run();
      return result;
    } catch (error) {
      // After a full disk or an I/O error SQLite has already rolled back.
      if (db.inTransaction) outer.rollback.run();
      throw error;
    } finally {
      lockWait?.afterTransaction();
    }
  }

  function joined<T>(work: () => T): T {
    inner.begin.run();
    try {
      const result = work();
      inner.commit.run();
      return result;
    } catch (error) {
      if (db.inTransaction) {
        inner.rollback.run();
        inner.commit.run();
      }
      throw error;
    }
  }

  return { own, joined };
}
