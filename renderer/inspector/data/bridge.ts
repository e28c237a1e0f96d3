import type { Answer, InspectorBridge } from '../../../core/contract/admin.ts';

/** Null where the page was opened outside of the inspector's window. */
export function findBridge(): InspectorBridge | null {
  return (window as unknown as { readonly leasehold?: InspectorBridge }).leasehold ?? null;
}

/** An answer for every call: one that is rejected (the app quits, a handler is missing) becomes an error like others. */
export async function answered<T>(call: Promise<Answer<T>>): Promise<Answer<T>> {
  try {
    return await call;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, error: { code: 'NO_ANSWER', message: `The app did not answer. ${message}` } };
  }
}
