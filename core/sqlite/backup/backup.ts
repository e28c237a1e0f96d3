/** backup: writes a copy of a queue's file on a thread, so that the caller's thread does not wait for it. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { asLeaseholdError } from '../../contract/errors.ts';
import { type ErrorData, fromErrorData } from '../../rpc/error-data.ts';
import { startThread, threadFileOf } from '../../rpc/thread-file.ts';
import { type BackupOrder, carryOut } from './carry-out.ts';

/**
 * Resolves when the copy is on the disk. Rejects with BAD_ARGUMENT when the target exists, and with errors of SQLite and the
 * system as LeaseholdErrors. Without the thread's file, as in an app whose bundler left it out, it blocks.
 */
export async function backup(order: BackupOrder): Promise<void> {
  const file = threadFileOf(undefined, import.meta.url, 'backup.thread');
  const absolute = { ...order, target: resolve(order.target) };
  if (!existsSync(file)) return carryOut(absolute);
  const thread = startThread(file, { workerData: absolute, name: 'leasehold backup' });
  const [failure] = (await once(thread, 'message').catch((error: unknown) => {
    throw asLeaseholdError(error);
  })) as [ErrorData | null];
  if (failure) throw fromErrorData(failure);
}
