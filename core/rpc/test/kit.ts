/** Threads for tests, made from source text. */
import { ThreadClient } from '../thread-client.ts';
import type { ThreadMethod, ThreadMethods } from '../thread-types.ts';

const urlOf = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);

/** A thread whose file is this source; it can use serveThread and the classes of errors. */
export function threadOf(source: string): URL {
  const code = `
    import { serveThread } from ${urlOf('../serve-thread.ts')};
    import { LeaseholdError, LeaseLost } from ${urlOf('../../contract/errors.ts')};
    ${source}`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

/** Runs `body` with a client of a thread that serves these methods, and closes it. */
export async function withThread<Methods extends { [Name in keyof Methods]: ThreadMethod } = ThreadMethods>(
  source: string,
  body: (thread: ThreadClient<Methods>) => Promise<void>,
): Promise<void> {
  const thread = new ThreadClient<Methods>(threadOf(source));
  try {
    await body(thread);
  } finally {
    await thread.close();
  }
}

/** Resolves with what the promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<Error & { code?: unknown }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw new TypeError('The promise rejected with something that is not an Error.', { cause: error });
  }
  throw new TypeError('The promise did not reject.');
}
