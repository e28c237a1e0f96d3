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
  | 'NOT_ALLOWED';

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

/** The transport was closed, or its thread ended. */
export class TransportClosed extends LeaseholdError {
  constructor(message = 'This transport is closed: open a new one.', options?: ErrorOptions) {
    super('CLOSED', message, options);
  }
}

/** An error as plain data, for a thread or IPC boundary: structured clone would drop the code and the class. */
export interface ErrorData {
  readonly code: ErrorCode;
  readonly message: string;
}

const CLASSES: Partial<Record<ErrorCode, new (message: string) => LeaseholdError>> = {
  BAD_ARGUMENT: BadArgument,
  LEASE_LOST: LeaseLost,
  CLOSED: TransportClosed,
};

export function toErrorData(error: unknown): ErrorData {
  if (error instanceof LeaseholdError) return { code: error.code, message: error.message };
  return { code: 'STORAGE', message: error instanceof Error ? error.message : String(error) };
}

export function fromErrorData({ code, message }: ErrorData): LeaseholdError {
  const Class = CLASSES[code];
  return Class ? new Class(message) : new LeaseholdError(code, message);
}
