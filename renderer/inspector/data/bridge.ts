import type { Answer, InspectorBridge } from '../../../core/contract/admin.ts';

/** Null where the page was opened outside the inspector window. */
export function findBridge(): InspectorBridge | null {
  return (window as unknown as { readonly leasehold?: InspectorBridge }).leasehold ?? null;
}

/** An answer to every call: a rejected call (the app quits, a handler is missing) becomes an answer with an error. */
export async function asAnswer<T>(call: Promise<Answer<T>>): Promise<Answer<T>> {
  try {
    return await call;
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
