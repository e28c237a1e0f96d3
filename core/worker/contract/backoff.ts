/** How long a failed message waits before its next attempt. */
import { BadArgument } from '../../contract/errors.ts';
import { type Check, checkNumber, type FieldChecks, readFields, show } from '../../validate/checks.ts';

export interface BackoffOptions {
  /** The wait after the first failure, ms. Default 1,000. */
  readonly initialMs?: number | undefined;
  /** The factor by which each further failure multiplies the wait, from 1. Default 2. */
  readonly factor?: number | undefined;
  /** The longest wait, ms. Default 300,000. */
  readonly maxMs?: number | undefined;
  /** The random part of the wait, 0 to 1: with 0.2, up to a fifth is taken off. Default 0.2. */
  readonly jitter?: number | undefined;
}

/** Returns the ms to wait after this failed attempt, 1 for the first. */
export type BackoffRule = (attempt: number, error: unknown) => number;

const checkJitter: Check = (what, value) => {
  checkNumber(what, value, 0);
  if (value > 1) throw new BadArgument(`${what} must be from 0 to 1, not ${show(value)}.`);
};

const OPTIONS: FieldChecks<BackoffOptions> = {
  initialMs: (what, value) => checkNumber(what, value, 0),
  factor: (what, value) => checkNumber(what, value, 1),
  maxMs: (what, value) => checkNumber(what, value, 0),
  jitter: checkJitter,
};

/** Makes the rule from options. A function is the caller's own rule. Raises BadArgument. */
export function makeBackoff(
  options: BackoffOptions | BackoffRule = {},
  random: () => number = Math.random,
): BackoffRule {
  if (typeof options === 'function') return options;
  const given = readFields<BackoffOptions>('backoff', options, OPTIONS, { prefix: 'backoff.' });
  const { initialMs = 1000, factor = 2, maxMs = 300_000, jitter = 0.2 } = given;
  // Jitter only shortens the wait: maxMs holds, and a wait of 0 stays 0.
  return (attempt) => Math.min(maxMs, initialMs * factor ** (attempt - 1)) * (1 - jitter * random());
}
