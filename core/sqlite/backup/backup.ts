/** backup: writes a copy of a queue's file on a thread, so that the caller's thread does not wait for it. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { asLeaseholdError } from '../../contract/errors.ts';
import { type ErrorData, fromErrorData } from '../../rpc/error-data.ts';
import { startThread, threadFileOf } from '../../rpc/thread-file.ts';
import { absolutePath } from '../file/absolute-path.ts';
import { fromStartError } from '../file/system-errors.ts';
import { type BackupOrder, carryOut } from './carry-out.ts';

/**
 * Resolves when the copy is on the disk. Rejects with BAD_ARGUMENT when the target exists, and with errors of SQLite and the
 * system as LeaseholdErrors. Without the thread's file, as in an app whose bundler left it out, it blocks.
 */
export async function backup(order: BackupOrder): Promise<void> {
  const file = threadFileOf(undefined, import.meta.url, 'backup.thread');
  const absolute = { ...order, target: absolutePath(order.target) };
  if (!existsSync(file)) return carryOut(absolute);
  const failure = await answerOf(file, absolute).catch((error: unknown) => {
    throw fromStartError(error, order.source) ?? asLeaseholdError(error);
  });
  if (failure) throw fromErrorData(failure);
}

async function answerOf(file: URL, workerData: BackupOrder): Promise<ErrorData | null> {
  const thread = startThread(file, { workerData, name: 'leasehold backup' });
  const [failure] = await once(thread, 'message');
  return failure;
}
