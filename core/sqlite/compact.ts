/** compact: returns the file's unused pages to the disk. */

import { LeaseholdError } from '../contract/errors.ts';
import type { Compacted } from '../contract/retention.ts';
import type { Engine } from './engine.ts';

/**
 * VACUUM writes what remains once more, into the log, while it holds the write lock: its time is that of the remaining
 * content, not of what is freed. The checkpoint then shortens the file, unless another connection still reads from the log;
 * in that case a later checkpoint does.
 */
export function compact(engine: Engine): Compacted {
  const { db } = engine.context;
  if (db.inTransaction)
    throw new LeaseholdError(
      'BUSY',
      `${db.name}: compact cannot run in a transaction. Commit it, or roll it back, first.`,
    );
  const size = () =>
    Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
  return engine.read(() => {
    engine.checkWritable();
    const before = size();
    db.exec('VACUUM');
    db.pragma('wal_checkpoint(PASSIVE)');
    return { before, after: size() };
  });
}
