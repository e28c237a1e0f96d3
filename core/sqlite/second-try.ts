/** Transactions that are tried once more after their obstacle has been removed. */
import type { Mark, PostCommitEvents } from './post-commit-events.ts';
import type { Transaction } from './transaction.ts';

export interface Remedies {
  /** For a full disk. Returns whether there may be space now. */
  makeRoom(): boolean;
  /** In a transaction: restores columns that another program has dropped. */
  checkSchema(): void;
}

/**
 * Within a caller's transaction a full disk has no remedy: SQLite has already rolled it back. What the first try has noted for
 * after the commit is dropped.
 */
export function withSecondTry(
  transaction: Transaction,
  postCommit: PostCommitEvents,
  { makeRoom, checkSchema }: Remedies,
): Transaction {
  const tryAgain = <T>(mark: Mark, work: () => T): (() => T) => {
    postCommit.forget(mark);
    return () => {
      checkSchema();
      return work();
    };
  };
  return {
    own(work) {
      const mark = postCommit.mark();
      try {
        return transaction.own(work);
      } catch (error) {
        const isFull = (error as { code?: unknown }).code === 'SQLITE_FULL';
        if (!isMissingPart(error) && !(isFull && makeRoom())) throw error;
        return transaction.own(tryAgain(mark, work));
      }
    },
    joined(work) {
      const mark = postCommit.mark();
      try {
        return transaction.joined(work);
      } catch (error) {
        if (!isMissingPart(error)) throw error;
        return transaction.joined(tryAgain(mark, work));
      }
    },
  };
}

/** As for a column that does not exist: another program may have changed the schema. */
export const isMissingPart = (error: unknown): boolean =>
  (error as { code?: unknown }).code === 'SQLITE_ERROR';
