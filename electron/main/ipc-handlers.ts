/**
 * Answers the page's calls over IPC. The handlers exist on one window's webContents, so no other window can call them, and
 * each message's sender is checked. In the main process only this file turns errors into
 * answers for the page.
 */
import type { WebContents } from 'electron';
import type { Answer, InspectorCalls } from '../../core/contract/admin.ts';
import { asLeaseholdError, LeaseholdError } from '../../core/contract/errors.ts';
import { channelOf } from '../preload/inspector-channels.ts';
import type { InspectorHandlers } from './inspector-handlers.ts';
import { isFromPage } from './ipc-sender.ts';

/** Answers the calls of the page at `origin` in this window. Returns a function that removes the handlers. */
export function handleCalls(contents: WebContents, origin: string, handlers: InspectorHandlers): () => void {
  const names = Object.keys(handlers) as (keyof InspectorCalls)[];
  for (const name of names) {
    contents.ipc.handle(channelOf(name), (event, argument: unknown) =>
      toAnswer<unknown>(() => {
        if (!isFromPage(event, contents, origin))
          throw new LeaseholdError(
            'NOT_ALLOWED',
            'Only the page that this window was opened for can make calls.',
          );
        return handlers[name](argument);
      }),
    );
  }
  return () => {
    if (contents.isDestroyed()) return;
    for (const name of names) contents.ipc.removeHandler(channelOf(name));
  };
}

/** The page gets an error's code and message; the stack and cause of an unexpected one are logged here. */
async function toAnswer<T>(call: () => T | Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await call() };
  } catch (error) {
    const { code, message } = asLeaseholdError(error);
    if (code === 'UNEXPECTED') console.error('Unexpected error while answering a page:', error);
    return { ok: false, error: { code, message } };
  }
}
