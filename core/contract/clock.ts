/** The one place that reads the time: tests hand in a clock of their own. */
export interface Clock {
  /** Wall clock, epoch ms. It may step in either direction. */
  now(): number;
  /** Ms since some fixed moment; never steps back. */
  monotonic(): number;
  /** Calls `run` once after `ms`; returns what cancels it. A pending timer does not keep the process alive. */
  after(ms: number, run: () => void): () => void;
}

/** setTimeout takes a signed 32-bit count of ms and fires at once above it. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, LONGEST_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
