type OneAtATime = <T>(read: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * Runs one read at a time, in the order of the calls. A read whose signal is aborted while it waits never starts: a fast
 * scroll, or j held down, reads only where it stops.
 */
export function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (read, signal) => {
    const result = last.then(() => {
      signal.throwIfAborted();
      return read();
    });
    last = result.catch(() => {});
    return result;
  };
}
