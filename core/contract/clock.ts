/** The clocks and timers of core. Core reads the time only through a Clock, so that a test can pass one of its own. */
import { isMainThread } from 'node:worker_threads';

export interface Clock {
  /** The wall clock, epoch ms. It may step in either direction. */
  now(): number;
  /** Ms since some fixed moment, for systemClock the same in all threads and processes; never steps back. */
  monotonic(): number;
  /** Calls `run` once after `ms`. Returns a function that cancels it. A pending timer does not keep the process alive. */
  after(ms: number, run: () => void): () => void;
}

/** setTimeout takes a signed 32-bit number of ms, and fires at once for a larger one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  // From the start of the machine; performance.now() counts from the start of each thread.
  monotonic() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, LONGEST_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/**
 * This process started at this time or earlier, by the wall clock of its start, epoch ms. Null on a thread, which knows only
 * its own start.
 */
export const processStartedBy = (): number | null => (isMainThread ? performance.timeOrigin : null);

/** The process does not end by itself until the returned function is called. Pending timers of a Clock do not keep it alive. */
export function keepProcessAlive(): () => void {
  const timer = setInterval(() => undefined, LONGEST_TIMER_MS);
  return () => clearInterval(timer);
}
