/** Tells errors that concern one message from those that any call would meet. */
import { codeOf, type ErrorCode } from '../../contract/errors.ts';

/**
 * After one of these the worker waits before it uses the transport again. Every other error of a call for one message (a
 * damaged row, a trigger of the app, a value that no verb can write) is that message's: if it is the transport's after all,
 * the next claim meets it as well.
 */
const OF_THE_TRANSPORT: ReadonlySet<ErrorCode | undefined> = new Set<ErrorCode | undefined>([
  'CLOSED',
  'THREAD_FAILED',
  'BUSY',
  'READ_ONLY',
  'DISK_FULL',
  'CANNOT_OPEN',
  'FILE_REPLACED',
  'NOT_A_QUEUE',
  'NEWER_FILE',
]);

/** A call for one message raised this error, and calls for other messages may succeed. */
export function concernsOneMessage(error: unknown): boolean {
  return !OF_THE_TRANSPORT.has(codeOf(error)) && !isDiskFailure(error);
}

/** The disk could not store one message's outcome. It may have room for a smaller one: only the next calls tell. */
export function mayConcernOneMessage(error: unknown): boolean {
  return codeOf(error) === 'DISK_FULL' || isDiskFailure(error);
}

/** A failed read concerns the pages of one message. */
function isDiskFailure(error: unknown): boolean {
  try {
    const code: unknown = codeOf((error as Error | null)?.cause);
    return typeof code === 'string' && code.startsWith('SQLITE_IOERR') && !code.includes('READ');
  } catch {
    return false;
  }
}
