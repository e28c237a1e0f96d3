/**
 * Answers a page's calls over IPC. The handlers exist on one window's webContents, so no other window can call them, and
 * each message's sender is checked. This is the only place that turns errors into answers.
 */
import type { IpcMainInvokeEvent, WebContents } from 'electron';
import type { Answer } from '../../core/contract/admin.ts';
import { asLeaseholdError, LeaseholdError } from '../../core/contract/errors.ts';
import { isFromPage } from './ipc-sender.ts';

/** Receives the page's arguments unchecked. */
export type IpcHandler = (...args: readonly unknown[]) => unknown;

/** Answers calls on these channels from the page at `origin` in this window. Returns a function that removes the handlers. */
export function handleIpc(
  contents: WebContents,
  origin: string,
  handlers: Readonly<Record<string, IpcHandler>>,
): () => void {
  for (const [channel, handler] of Object.entries(handlers)) {
    contents.ipc.handle(channel, (event: IpcMainInvokeEvent, ...args: unknown[]) =>
      toAnswer(() => {
        if (!isFromPage(event, contents, origin))
          throw new LeaseholdError(
            'NOT_ALLOWED',
            'Only the page that this window was opened for can make calls.',
          );
        return handler(...args);
      }),
    );
  }
  return () => {
    if (contents.isDestroyed()) return;
    for (const channel of Object.keys(handlers)) contents.ipc.removeHandler(channel);
  };
}

/** The page gets an error's code and message; the stack and cause of an unexpected one are logged here. */
export async function toAnswer<T>(call: () => T | Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await call() };
  } catch (error) {
    const { code, message } = asLeaseholdError(error);
    if (code === 'UNEXPECTED') console.error('Unexpected error while answering a page:', error);
    return { ok: false, error: { code, message } };
  }
}
