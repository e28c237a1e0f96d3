/**
 * The errors that Leasehold raises. Messages name the offending value and the remedy; `cause` is the error beneath, if any.
 */
import { inspect, types } from 'node:util';

/** Stable, and each has one meaning. Messages may change. */
export type ErrorCode =
  // Your values. Raised before any write.
  /** A value that you passed or returned has the wrong type, range or spelling, or cannot be cloned to another thread. */
  | 'BAD_ARGUMENT'
  /** The event is not JSON, or does not fit the schema. */
  | 'BAD_EVENT'
  /** The event's JSON is longer than maxEventBytes. */
  | 'EVENT_TOO_LARGE'

  // The queue's state. Nothing was changed.
  /** The lease was settled before, or it lapsed and the message was taken since. */
  | 'LEASE_LOST'
  /** No dead letter has this id. */
  | 'NOT_FOUND'
  /** The operation does not exist for a message in this state: a dead letter can be neither nacked nor parked. */
  | 'NOT_APPLICABLE'
  /** What an admin would answer with has more than 128 Mi characters: too many rows with long texts, or one message that is longer. */
  | 'ANSWER_TOO_LARGE'

  // The file.
  /** Another connection, statement or transaction blocked the call for longer than it waits. Nothing was changed; try again. */
  | 'BUSY'
  /** The queue cannot be written: it was opened with `readonly`, or the file is not writable. */
  | 'READ_ONLY'
  /** The disk is full. Nothing was changed. */
  | 'DISK_FULL'
  /** The file is missing or inaccessible, or SQLite refuses WAL or the durability for it. */
  | 'CANNOT_OPEN'
  /** The file is not a SQLite database, or this version cannot use its tables as they are. */
  | 'NOT_A_QUEUE'
  /** A newer version of Leasehold has upgraded the file. */
  | 'NEWER_FILE'
  /** The file, or its log, was deleted, replaced or truncated while it was open. The transport has closed itself. */
  | 'FILE_REPLACED'
  /** SQLite found the file damaged. */
  | 'CORRUPT'
  /**
   * Any other error of SQLite or the disk; its own code is in the message. When the disk could not store a commit, the call
   * may or may not have taken effect after a crash.
   */
  | 'STORAGE'

  // The life of an object or its thread.
  /** The transport, admin or ThreadClient was closed, or its thread has ended. Open a new one. */
  | 'CLOSED'
  /** The thread, or the process of an untrusted file, ended by itself in the middle of this call, which may or may not have taken effect. */
  | 'THREAD_FAILED'
  /** The process of an untrusted file was killed after timeLimitMs, in the middle of this call, which may or may not have taken effect. */
  | 'TIMED_OUT'

  // A worker buries a message with one of these as its last error.
  /** The worker has no handler for the event's kind. */
  | 'NO_HANDLER'
  /** maxAttempts were started, and the last one ended without an outcome: the process ended, or the lease lapsed. */
  | 'NO_OUTCOME'

  // Electron.
  /** The host app does not permit this: the operation, an edit of a redacted event, or a call from another page. */
  | 'NOT_ALLOWED'
  /** openInspector, or openAdmin with `untrusted`, was called before the app's `ready` event. */
  | 'APP_NOT_READY'
  /** The page is not connected to a queue: openInspector did not open it, or its inspector was closed. */
  | 'NOT_CONNECTED'
  /** The inspector's built files are missing. */
  | 'NOT_BUILT'

  /** A bug, in Leasehold or in code that it called: `cause` is what was thrown, with its stack. */
  | 'UNEXPECTED';

/**
 * A message repeats values of the caller: without a limit, a path of a megabyte would be in every log line. The value is in its
 * middle, and the remedy at its end.
 */
const MAX_MESSAGE_LENGTH = 4_000;

function withoutMiddle(message: string): string {
  const half = MAX_MESSAGE_LENGTH / 2 - 1;
  return message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, half)}…${message.slice(-half)}` : message;
}

export class LeaseholdError extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(withoutMiddle(message), options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** BAD_ARGUMENT. */
export class BadArgument extends LeaseholdError {
  constructor(message: string, options?: ErrorOptions) {
    super('BAD_ARGUMENT', message, options);
  }
}

/** LEASE_LOST. */
export class LeaseLost extends LeaseholdError {
  constructor(message: string, options?: ErrorOptions) {
    super('LEASE_LOST', message, options);
  }
}

/** CLOSED. */
export class Closed extends LeaseholdError {
  constructor(message = 'This transport is closed. Open a new one.', options?: ErrorOptions) {
    super('CLOSED', message, options);
  }
}

/** At most `longest` characters; a longer text ends in an ellipsis. */
export function shorten(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/**
 * `instanceof` for any value. A Proxy runs code of its own at `instanceof`, and a revoked one raises: neither may disturb who
 * handles it.
 */
export function isInstance<T>(value: unknown, type: abstract new (...args: never[]) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/** An Error, also one of another realm: a `vm` context, such as that of a test runner, has an Error class of its own. */
export const isError = (value: unknown): value is Error =>
  isInstance(value, Error) || types.isNativeError(value);

/**
 * The code of an error. The class differs between two copies of the package in one process, and a transport may come from the
 * other one. Never raises, whatever was thrown.
 */
export function codeOf(error: unknown): ErrorCode | undefined {
  try {
    return (error as { code?: ErrorCode } | null | undefined)?.code;
  } catch {
    return undefined;
  }
}

/** Returns a LeaseholdError as it is. Anything else becomes the cause of an UNEXPECTED error. */
export function asLeaseholdError(thrown: unknown): LeaseholdError {
  if (isInstance(thrown, LeaseholdError)) return thrown;
  const what = isError(thrown) ? 'Unexpected' : 'Something that is not an Error was thrown:';
  return new LeaseholdError('UNEXPECTED', `${what} ${describeThrown(thrown)}`, { cause: thrown });
}

/** Name and message of a thrown value, at most 500 characters. Never raises, whatever the value does when it is read. */
export function describeThrown(thrown: unknown): string {
  try {
    const text = isError(thrown)
      ? `${thrown.name}: ${thrown.message}`
      : inspect(thrown, { depth: 0, maxStringLength: 200, customInspect: false });
    return shorten(text, 500);
  } catch {
    return 'a value that cannot be read';
  }
}
