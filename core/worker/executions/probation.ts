/**
 * How long a suspect is on probation: 10 s, then four times as long after each further crash, and until its handler ends at
 * the latest.
 *
 * When it has outlived that, its attempt is taken back until its settle: a crash from then on may be another message's. The
 * rising time makes also a handler that ends its process late reach its last attempt.
 */
const FIRST_MS = 10_000;
const LONGEST_MS = 3_600_000;

/** How long a suspect waits for running handlers to end: a long upload must not hold it up. */
export const MAX_SUSPECT_WAIT_MS = 5000;

/** 0 for a message that is no suspect. */
export function probationMs(crashes: number): number {
  return crashes === 0 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 4 ** (crashes - 1));
}
