/** Converts between epoch seconds as REAL, in the file, and epoch milliseconds, in the API. */

/** The only formula for an expiry in the file or in a fence: equal milliseconds give the identical REAL. */
export const toSeconds = (ms: number): number => ms / 1000;

/** Rounded to the microsecond, the precision of a REAL that holds today's epoch seconds. */
export const toMs = (seconds: number): number => Math.round(seconds * 1e6) / 1e3;

export const toMsOrNull = (seconds: number | null): number | null =>
  seconds === null ? null : toMs(seconds);
