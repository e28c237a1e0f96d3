/** What a handler can throw or return to decide about its message. They are errors, so that any depth can throw them. */
import { BadArgument, describeThrown, isError, shorten } from '../../contract/errors.ts';
import {
  type Check,
  checkDuration,
  checkNumber,
  type FieldChecks,
  readable,
  readFields,
  show,
} from '../../validate/checks.ts';

export interface ParkOptions {
  /** How long the group waits, in ms from when the handler settles. */
  readonly delayMs?: number | undefined;
  /** Or until when: epoch ms, or a Date. */
  readonly until?: number | Date | undefined;
  /** Why; shown in events and logs. */
  readonly reason?: string | undefined;
}

const checkUntil: Check = (what, value) =>
  checkNumber(`${what} of Park`, value instanceof Date ? value.getTime() : value, 0);

const checkReason: Check = (what, value) => {
  if (typeof value !== 'string')
    throw new BadArgument(`${what} of Park must be a string, not ${show(value)}.`);
};

const PARK_OPTIONS: FieldChecks<ParkOptions> = {
  delayMs: (what, value) => checkDuration(`${what} of Park`, value, 0),
  until: checkUntil,
  reason: checkReason,
};

/**
 * What a decision of either class carries. It belongs to every copy of the package in the process, so that a Park of another
 * copy, as a dependency may bring one, counts as well.
 */
const DECISION = Symbol.for('leasehold.decision');

/** Parks the message: it keeps its place, its group waits, and no attempt is counted. Raises BadArgument. */
export class Park extends Error {
  readonly delayMs: number | null;
  /** Epoch ms. */
  readonly until: number | null;
  readonly reason: string | null;

  constructor(options: ParkOptions) {
    const { delayMs, until, reason } = readFields<ParkOptions>('options of Park', options, PARK_OPTIONS);
    if ((delayMs === undefined) === (until === undefined))
      throw new BadArgument('Park takes delayMs or until, one of the two.');
    super(reason ?? 'parked');
    this.name = 'Park';
    this.delayMs = delayMs ?? null;
    this.until = until instanceof Date ? until.getTime() : (until ?? null);
    this.reason = reason ?? null;
  }

  get [DECISION](): 'park' {
    return 'park';
  }
}

/** Buries the message at once, however many attempts are left. */
export class Bury extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    // From JavaScript it may be anything, and a Bury that cannot be made would be one more retry.
    super(typeof reason === 'string' ? reason : describeThrown(reason), options);
    this.name = 'Bury';
  }

  get [DECISION](): 'bury' {
    return 'bury';
  }
}

/** A Park or a Bury, read once: its fields may have been changed since it was made. */
export type Decision =
  | { readonly action: 'park'; readonly delayMs: number; readonly reason: string | null }
  | { readonly action: 'park'; readonly until: number; readonly reason: string | null }
  | { readonly action: 'bury'; readonly error: unknown };

/**
 * Null for a value that is neither a Park nor a Bury. Raises BadArgument for one whose fields are not those of a decision.
 * Nothing else that the value does when it is read is raised.
 */
export function readDecision(value: unknown): Decision | null {
  switch (brandOf(value)) {
    case 'park':
      return readPark(value as Park);
    case 'bury':
      return { action: 'bury', error: value };
    default:
      return null;
  }
}

function brandOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    return (value as { [DECISION]?: unknown })[DECISION];
  } catch {
    return undefined;
  }
}

function readPark(park: Park): Decision {
  const given = readable('Park', () => ({ delayMs: park.delayMs, until: park.until, reason: park.reason }));
  // Checked again, because anybody can set a field or make the brand.
  const { delayMs, until, reason } = new Park({
    delayMs: given.delayMs ?? undefined,
    until: given.until ?? undefined,
    reason: given.reason ?? undefined,
  });
  return until === null
    ? { action: 'park', delayMs: delayMs ?? 0, reason }
    : { action: 'park', until, reason };
}

/** Describes a failure as text: name, message, cause and stack, at most `limit` characters. Never throws. */
export function describeFailure(error: unknown, limit: number): string {
  const text = isError(error) ? describeError(error) : `Thrown, and not an Error: ${show(error)}`;
  // The file holds UTF-8, which has no lone surrogates: neither from the error itself nor from cutting a pair apart.
  return shorten(text, limit).replaceAll('\0', '\ufffd').toWellFormed();
}

function describeError(error: Error): string {
  const stack = readText(error, 'stack');
  // V8's stack begins with name and message as they were when the error was made. Either may have changed since.
  const frames = stack.indexOf('\n    at ');
  const trace = frames === -1 ? '' : stack.slice(frames);
  return `${describeHead(error)}${describeCause(error)}${trace}`;
}

function describeHead(error: Error): string {
  return `${readText(error, 'name')}: ${readText(error, 'message')}`;
}

function describeCause(error: Error): string {
  try {
    const { cause } = error;
    if (cause === undefined || cause === error) return '';
    return `\nCaused by: ${isError(cause) ? describeHead(cause) : show(cause)}`;
  } catch {
    return '';
  }
}

/** Longer texts are cut before they are joined: two of half a gigabyte make a string that V8 refuses. */
const MAX_PART_LENGTH = 1_000_000;

/** A field of a thrown error. It may be anything, and reading it may raise. */
function readText(error: Error, field: 'name' | 'message' | 'stack'): string {
  try {
    const value: unknown = error[field];
    return typeof value === 'string' ? value.slice(0, MAX_PART_LENGTH) : show(value);
  } catch {
    return `(its ${field} cannot be read)`;
  }
}
