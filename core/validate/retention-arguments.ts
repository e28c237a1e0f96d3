/** Checks what is to be kept, for the option of the transports and for the calls of `purge`. */
import type { KeepLimits, Retention } from '../contract/retention.ts';
import { type Check, checkFields, checkNumber, checkWhole, type FieldChecks } from './checks.ts';

const LIMITS: FieldChecks<KeepLimits> = {
  maxAgeMs: (what, value) => checkNumber(what, value, 0),
  maxCount: (what, value) => checkWhole(what, value, 0, Number.MAX_SAFE_INTEGER),
};

const checkLimits: Check = (what, value) => checkFields(what, value, LIMITS, { prefix: `${what}.` });

const RETENTION: FieldChecks<Retention> = { deadLetters: checkLimits, journal: checkLimits };

export function checkRetention(what: string, value: unknown): asserts value is Retention {
  checkFields<Retention>(what, value, RETENTION, { prefix: `${what}.` });
}

/** For a call of `purge`: at most this many dead letters, and as many rows of the journal. */
export function checkPurgeLimit(limit: unknown): void {
  checkWhole('limit', limit, 1, 10_000);
}
