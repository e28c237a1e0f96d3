/** A clock in shared memory: a test sets the time that another thread reads. */
import { type Clock, systemClock } from '../contract/clock.ts';

/** Memory for the clock's two readings, now and monotonic, in ms. */
export const sharedClockMemory = (): SharedArrayBuffer =>
  new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT);

export function setSharedClock(memory: SharedArrayBuffer, now: number, monotonic: number): void {
  new Float64Array(memory).set([now, monotonic]);
}

export function sharedClock(memory: SharedArrayBuffer): Clock {
  const readings = new Float64Array(memory);
  return {
    now: () => readings[0] as number,
    monotonic: () => readings[1] as number,
    after: systemClock.after,
  };
}
