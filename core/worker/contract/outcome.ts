/** What a handler can throw or return to decide about its message. They are errors, so that any depth can throw them. */
import { BadArgument } from '../../contract/errors.ts';
import { type Check, checkFields, checkNumber, type FieldChecks, show } from '../../validate/checks.ts';

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
  delayMs: (what, value) => checkNumber(`${what} of Park`, value, 0),
  until: checkUntil,
  reason: checkReason,
};

/** Parks the message: it keeps its place, its group waits, and no attempt is counted. Raises BadArgument. */
export class Park extends Error {
  readonly delayMs: number | null;
  /** Epoch ms. */
  readonly until: number | null;
  readonly reason: string | null;

  constructor(options: ParkOptions) {
    checkFields<ParkOptions>('options of Park', options, PARK_OPTIONS);
    const { delayMs, until, reason } = options;
    if ((delayMs === undefined) === (until === undefined))
      throw new BadArgument('Park takes delayMs or until, one of the two.');
    super(reason ?? 'parked');
    this.name = 'Park';
    this.delayMs = delayMs ?? null;
    this.until = until instanceof Date ? until.getTime() : (until ?? null);
    this.reason = reason ?? null;
  }
}

/** Buries the message at once, however many attempts are left. */
export class Bury extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'Bury';
  }
}

/** Describes a failure as text: name, message, cause and stack, at most `limit` characters. Never throws. */
export function describeFailure(error: unknown, limit: number): string {
  let text: string;
  try {
    text = error instanceof Error ? describeError(error) : `Thrown, and not an Error: ${show(error)}`;
  } catch {
    text = 'Something was thrown that cannot be read.';
  }
  // The file holds UTF-8, which has no lone surrogates: neither from the error itself nor from cutting a pair apart.
  const cut = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return cut.replaceAll('\0', '\ufffd').toWellFormed();
}

function describeError(error: Error): string {
  const head = `${error.name}: ${error.message}`;
  const stack = typeof error.stack === 'string' ? error.stack : '';
  // V8's stack begins with name and message as they were when the error was made. Either may have changed since.
  const frames = stack.indexOf('\n    at ');
  const trace = frames === -1 ? '' : stack.slice(frames);
  const cause =
    error.cause === undefined || error.cause === error ? '' : `\nCaused by: ${describeCause(error.cause)}`;
  return `${head}${cause}${trace}`;
}

function describeCause(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : show(cause);
}
