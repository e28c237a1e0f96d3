/** The file holds epoch seconds as REAL, the API epoch milliseconds. */

/** One formula wherever an expiry goes into the file or into a fence: equal milliseconds give the identical REAL. */
export const toSeconds = (ms: number): number => ms / 1000;

/** Rounded to the microsecond: a REAL of today's epoch seconds holds no finer step. */
export const toMs = (seconds: number): number => Math.round(seconds * 1e6) / 1e3;

export const toMsOrNull = (seconds: number | null): number | null =>
  seconds === null ? null : toMs(seconds);
