/**
 * A window's IPC channels. They exist on its webContents alone, so no other window can name them, and every message is
 * checked for its sender. Errors cross as plain data: structured clone would drop their code.
 */
import type { IpcMainInvokeEvent, WebContents } from 'electron';
import type { Answer } from '../../core/contract/admin.ts';
import { LeaseholdError, toErrorData } from '../../core/contract/errors.ts';
import { isFromPage } from './ipc-sender.ts';

/** Gets the page's arguments as they came: unchecked. */
export type Respond = (...args: readonly unknown[]) => unknown;

/** Answers the named channels for the page at `origin` in this window; returns what ends that. */
export function answerPage(
  contents: WebContents,
  origin: string,
  channels: Readonly<Record<string, Respond>>,
): () => void {
  for (const [channel, respond] of Object.entries(channels)) {
    contents.ipc.handle(channel, async (event: IpcMainInvokeEvent, ...args: unknown[]) => {
      if (!isFromPage(event, contents, origin)) return failure(refusal());
      return settle(() => respond(...args));
    });
  }
  return () => {
    if (contents.isDestroyed()) return;
    for (const channel of Object.keys(channels)) contents.ipc.removeHandler(channel);
  };
}

export async function settle<T>(run: () => T | Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await run() };
  } catch (error) {
    return failure(error);
  }
}

const failure = (error: unknown): Answer<never> => ({ ok: false, error: toErrorData(error) });

const refusal = () =>
  new LeaseholdError('NOT_ALLOWED', 'Only the page that this window was opened for is answered.');
