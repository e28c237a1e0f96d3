/** Checks what is to be kept, for the option of the transports and for the calls of `purge`. Both return checked copies. */
import type { KeepLimits, Retention } from '../contract/retention.ts';
import { type Check, checkNumber, checkWhole, type FieldChecks, readFields } from './checks.ts';

const LIMITS: FieldChecks<KeepLimits> = {
  maxAgeMs: (what, value) => checkNumber(what, value, 0),
  maxCount: (what, value) => checkWhole(what, value, 0, Number.MAX_SAFE_INTEGER),
};

const checkLimits: Check = (what, value) => readFields(what, value, LIMITS, { prefix: `${what}.` });

const RETENTION: FieldChecks<Retention> = { deadLetters: checkLimits, journal: checkLimits };

export function readRetention(what: string, value: unknown): Retention {
  return readFields(what, value, RETENTION, { prefix: `${what}.` });
}

const PURGE_OPTIONS: FieldChecks<{ limit?: number }> = {
  limit: (what, value) => checkWhole(what, value, 1, 10_000),
};

/** At most this many dead letters, and as many rows of the journal. */
export function readPurgeLimit(options: unknown): number {
  return readFields('options of purge', options, PURGE_OPTIONS).limit ?? 1000;
}
