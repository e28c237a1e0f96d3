type OneAtATime = <T>(read: () => Promise<T>, signal: AbortSignal, isRefresh: boolean) => Promise<T>;

/**
 * Runs one read at a time, in the order of the calls. A read whose signal is aborted while it waits never starts: a fast
 * scroll, or j held down, reads only where it stops.
 *
 * An aborted refresh is not waited for: the admin lets refreshes rest, and a person has asked for something else.
 */
export function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (read, signal, isRefresh) => {
    const result = last.then(() => {
      signal.throwIfAborted();
      return read();
    });
    const ended = result.catch(() => {});
    last = isRefresh ? Promise.race([ended, aborted(signal)]) : ended;
    return result;
  };
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
