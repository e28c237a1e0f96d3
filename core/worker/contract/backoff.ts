/** How long a failed message waits before its next attempt. */
import { BadArgument } from '../../contract/errors.ts';
import { checkKnown, checkNumber, checkPlainObject, show } from '../../validate/checks.ts';

export interface BackoffOptions {
  /** The wait after the first failure, ms; default 1,000. */
  readonly initialMs?: number | undefined;
  /** By how much each further failure multiplies it, from 1; default 2. */
  readonly factor?: number | undefined;
  /** The longest wait, ms; default 300,000. */
  readonly maxMs?: number | undefined;
  /** The part of the wait that is left to chance, 0 to 1: 0.2 takes up to a fifth off. Default 0.2. */
  readonly jitter?: number | undefined;
}

/** Ms to wait after the given failed attempt, 1 for the first. */
export type BackoffRule = (attempt: number, error: unknown) => number;

const KNOWN = ['initialMs', 'factor', 'maxMs', 'jitter'];

/** Makes the rule from options, checked; a rule of the caller's own is taken as it is. Raises BadArgument. */
export function makeBackoff(
  options: BackoffOptions | BackoffRule = {},
  random: () => number = Math.random,
): BackoffRule {
  if (typeof options === 'function') return options;
  checkPlainObject('backoff', options);
  checkKnown('backoff', options, KNOWN);
  const { initialMs = 1000, factor = 2, maxMs = 300_000, jitter = 0.2 } = options as BackoffOptions;
  checkNumber('backoff.initialMs', initialMs, 0);
  checkNumber('backoff.factor', factor, 1);
  checkNumber('backoff.maxMs', maxMs, 0);
  checkNumber('backoff.jitter', jitter, 0);
  if (jitter > 1) throw new BadArgument(`backoff.jitter must be from 0 to 1, not ${show(jitter)}.`);
  // Jitter takes off and never adds: the cap holds, and a wait of nothing stays nothing.
  return (attempt) => Math.min(maxMs, initialMs * factor ** (attempt - 1)) * (1 - jitter * random());
}
