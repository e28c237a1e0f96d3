import type { Answer, InspectorBridge } from '../../../core/contract/admin.ts';

/** Null where the page was opened outside the inspector window. */
export function findBridge(): InspectorBridge | null {
  return (window as unknown as { readonly leasehold?: InspectorBridge }).leasehold ?? null;
}

/** No further try succeeds in this window: the app has to open the file anew. */
export const isFinal = ({ code }: { readonly code: string }): boolean => code === 'FILE_REPLACED';

/** What the main process says there is for the author of the app. */
const REPLACED =
  'The queue’s file was deleted or replaced while the app used it. Start the app again: this window cannot show the new file.';

/** An answer to every call: a rejected call (the app quits, a handler is missing) becomes an answer with an error. */
export async function asAnswer<T>(call: Promise<Answer<T>>): Promise<Answer<T>> {
  try {
    const answer = await call;
    if (answer.ok || !isFinal(answer.error)) return answer;
    return { ok: false, error: { ...answer.error, message: REPLACED } };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, error: { code: 'NO_ANSWER', message: `The app did not answer. ${message}` } };
  }
}

/** A read that failed, with the code that the main process gave. */
export class ReadError extends Error {
  readonly code: string;

  constructor({ code, message }: { readonly code: string; readonly message: string }) {
    super(message);
    this.name = 'ReadError';
    this.code = code;
  }
}

/** The value of an answer. @throws ReadError */
export async function valueOrThrow<T>(call: Promise<Answer<T>>): Promise<T> {
  const answer = await asAnswer(call);
  if (!answer.ok) throw new ReadError(answer.error);
  return answer.value;
}
