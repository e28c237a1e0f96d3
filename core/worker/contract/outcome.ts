/** What a handler may answer besides "done" and "failed". Errors, so that they can be thrown from any depth. */
import { BadArgument } from '../../contract/errors.ts';
import { checkKnown, checkNumber, checkPlainObject, show } from '../../validate/checks.ts';

export interface ParkOptions {
  /** How long the group waits, ms from when the handler settles. */
  readonly delayMs?: number | undefined;
  /** Or until when: epoch ms, or a Date. */
  readonly until?: number | Date | undefined;
  /** Why, for whoever looks on. */
  readonly reason?: string | undefined;
}

/** Not now: the message keeps its place, its group waits, and no attempt is counted. Raises BadArgument. */
export class Park extends Error {
  readonly delayMs: number | null;
  /** Epoch ms. */
  readonly until: number | null;
  readonly reason: string | null;

  constructor(options: ParkOptions) {
    checkPlainObject('the options of Park', options);
    checkKnown('the options of Park', options, ['delayMs', 'until', 'reason']);
    const { delayMs, reason } = options as ParkOptions;
    const until = options.until instanceof Date ? options.until.getTime() : options.until;
    if ((delayMs === undefined) === (until === undefined))
      throw new BadArgument('Park takes delayMs or until, one of the two.');
    if (delayMs !== undefined) checkNumber('delayMs of Park', delayMs, 0);
    if (until !== undefined) checkNumber('until of Park', until, 0);
    if (reason !== undefined && typeof reason !== 'string')
      throw new BadArgument(`reason of Park must be a string, not ${show(reason)}.`);
    super(reason ?? 'parked');
    this.name = 'Park';
    this.delayMs = delayMs ?? null;
    this.until = (until as number | undefined) ?? null;
    this.reason = reason ?? null;
  }
}

/** Never: the message is buried at once, however many attempts are left. */
export class Bury extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'Bury';
  }
}

/** A failure as text: name, message and stack, at most `limit` characters. Never throws, whatever was thrown. */
export function describeFailure(error: unknown, limit: number): string {
  let text: string;
  try {
    text = error instanceof Error ? describeError(error) : `Thrown, and not an Error: ${show(error)}`;
  } catch {
    text = 'Something was thrown that cannot be read.';
  }
  // The text is kept as UTF-8, which has no halves of a surrogate pair: neither the error's own nor one made by the cut.
  const cut = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return cut.replaceAll('\0', '\ufffd').toWellFormed();
}

function describeError(error: Error): string {
  const head = `${error.name}: ${error.message}`;
  const stack = typeof error.stack === 'string' ? error.stack : '';
  // V8's stack begins with name and message as they were when the error was made; either may have changed since.
  const frames = stack.indexOf('\n    at ');
  const trace = frames === -1 ? '' : stack.slice(frames);
  const cause =
    error.cause === undefined || error.cause === error ? '' : `\nCaused by: ${causeOf(error.cause)}`;
  return `${head}${cause}${trace}`;
}

function causeOf(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : show(cause);
}
