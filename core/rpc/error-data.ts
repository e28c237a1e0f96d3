/** Errors as plain data: a structured clone drops an error's class and code. */
import {
  asLeaseholdError,
  BadArgument,
  Closed,
  describeThrown,
  type ErrorCode,
  isError,
  LeaseholdError,
  LeaseLost,
} from '../contract/errors.ts';

export interface ErrorData {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Undefined unless it is a string, such as 'BUSY' or 'ENOENT'. */
  readonly code: string | undefined;
  readonly isLeaseholdError: boolean;
  readonly cause: ErrorData | undefined;
}

/** Longer chains of causes are cut: a chain can be a circle. */
const MAX_CAUSES = 10;

/**
 * What is thrown but is not an Error, or cannot be read, becomes a LeaseholdError with the code UNEXPECTED. Never raises: a
 * thread has other calls to answer.
 */
export function toErrorData(thrown: unknown): ErrorData {
  try {
    return dataOf(isError(thrown) ? thrown : asLeaseholdError(thrown), MAX_CAUSES);
  } catch {
    return dataOf(new LeaseholdError('UNEXPECTED', `Unexpected ${describeThrown(thrown)}`), 0);
  }
}

function dataOf(error: Error, maxCauses: number): ErrorData {
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    name: String(name),
    message: String(message),
    stack: typeof stack === 'string' ? stack : undefined,
    code: typeof code === 'string' ? code : undefined,
    isLeaseholdError: error instanceof LeaseholdError,
    cause: maxCauses > 0 && isError(cause) ? dataOf(cause, maxCauses - 1) : undefined,
  };
}

const LEASEHOLD_CLASSES: Partial<
  Record<ErrorCode, new (message: string, options?: ErrorOptions) => LeaseholdError>
> = { BAD_ARGUMENT: BadArgument, LEASE_LOST: LeaseLost, CLOSED: Closed };

const NATIVE_CLASSES = new Map<string, ErrorConstructor>(
  [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map((each) => [each.name, each]),
);

/**
 * The error again, with the stack of the thread that raised it. An instance of its class when Leasehold or the language
 * defines that class, else an Error with its name.
 */
export function fromErrorData(data: ErrorData): Error {
  const error = construct(data);
  const { name, stack, code } = data;
  for (const [key, value] of Object.entries({ name, stack, code })) {
    if (value === undefined || error[key as keyof Error] === value) continue;
    Object.defineProperty(error, key, { value, configurable: true, writable: true });
  }
  return error;
}

function construct({ name, message, code, isLeaseholdError, cause }: ErrorData): Error {
  const options = cause ? { cause: fromErrorData(cause) } : undefined;
  if (!isLeaseholdError) return new (NATIVE_CLASSES.get(name) ?? Error)(message, options);
  const Class = LEASEHOLD_CLASSES[code as ErrorCode];
  return Class ? new Class(message, options) : new LeaseholdError(code as ErrorCode, message, options);
}
