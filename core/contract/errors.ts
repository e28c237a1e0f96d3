import { inspect } from 'node:util';

/**
 * Every error that Leasehold raises. Each has a stable `code`, a message that names the offending value and the remedy,
 * and the `cause` where another error lies beneath.
 */
export type ErrorCode =
  | 'BAD_ARGUMENT'
  | 'BAD_EVENT'
  | 'EVENT_TOO_LARGE'
  | 'LEASE_LOST'
  | 'CLOSED'
  | 'BUSY'
  | 'READ_ONLY'
  | 'DISK_FULL'
  | 'CANNOT_OPEN'
  | 'NOT_A_QUEUE'
  | 'NEWER_FILE'
  | 'CORRUPT'
  | 'STORAGE'
  | 'THREAD_FAILED'
  | 'NOT_FOUND'
  | 'STALE'
  | 'NOT_ALLOWED'
  | 'UNEXPECTED';

export class LeaseholdError extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** An argument or option of the wrong kind, range or spelling; raised before any write. */
export class BadArgument extends LeaseholdError {
  constructor(message: string, options?: ErrorOptions) {
    super('BAD_ARGUMENT', message, options);
  }
}

/** The lease was settled before, or lapsed and was taken since: nothing was changed. */
export class LeaseLost extends LeaseholdError {
  constructor(message: string, options?: ErrorOptions) {
    super('LEASE_LOST', message, options);
  }
}

/** The transport, admin or ThreadClient was closed, or its thread ended. */
export class Closed extends LeaseholdError {
  constructor(message = 'This transport is closed: open a new one.', options?: ErrorOptions) {
    super('CLOSED', message, options);
  }
}

/** A LeaseholdError as it is. Anything else becomes the cause of an UNEXPECTED one, since Leasehold did not mean to raise it. */
export function asLeaseholdError(thrown: unknown): LeaseholdError {
  if (thrown instanceof LeaseholdError) return thrown;
  const what =
    thrown instanceof Error
      ? `${thrown.name}: ${thrown.message}`
      : `not an Error: ${inspect(thrown, { depth: 0, maxStringLength: 200 })}`;
  return new LeaseholdError('UNEXPECTED', `Something unexpected was thrown (${what}). See the cause.`, {
    cause: thrown,
  });
}
