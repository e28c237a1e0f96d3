/** Encodes events as JSON text and decodes them. A value that JSON would silently drop or change is refused instead. */
import { describeThrown, isInstance, LeaseholdError, shorten } from '../contract/errors.ts';
import type { EventSchema } from '../contract/transport.ts';
import { show } from './checks.ts';
import { findLoss, type Loss } from './json-loss.ts';

export const DEFAULT_MAX_EVENT_BYTES = 1024 * 1024;

/** The event, or the reason why its text cannot be decoded. */
export type Decoded<E> = { readonly event: E } | { readonly reason: string };

/**
 * Raises BAD_EVENT for a value that JSON cannot represent (undefined, functions, symbols, BigInt, NaN, an invalid Date, cycles,
 * more in json-loss.ts), and EVENT_TOO_LARGE above `maxBytes` of UTF-8. As in JSON, an object's undefined properties are left
 * out.
 */
function encodeEvent(event: unknown, maxBytes: number): string {
  const json = stringify(event);
  // A UTF-16 unit is at most 3 bytes, so the bytes of a short text need not be counted.
  if (json.length * 3 > maxBytes && Buffer.byteLength(json) > maxBytes)
    throw new LeaseholdError(
      'EVENT_TOO_LARGE',
      `The event has ${Buffer.byteLength(json)} bytes of JSON, more than the limit of ${maxBytes}. Store the data in a file and publish its path, or raise maxEventBytes.`,
    );
  return json;
}

/** A replacer that checks each value would take 1.3 to 2 times as long as a walk of its own after a plain stringify. */
function stringify(event: unknown): string {
  let json: string | undefined;
  let loss: Loss | null;
  try {
    json = JSON.stringify(event);
    loss = json === undefined ? { path: '', what: show(event) } : findLoss(event);
  } catch (error) {
    if (isInstance(error, LeaseholdError)) throw error;
    const [why] = describeThrown(error).split('\n');
    throw new LeaseholdError('BAD_EVENT', `The event is not JSON (${why}). Publish plain data.`, {
      cause: error,
    });
  }
  if (json !== undefined && !loss) return json;
  const { path = '', what = '' } = loss ?? {};
  const place = path === '' ? 'is' : `has at "${shorten(path.replace(/^\./, ''), 200)}"`;
  throw new LeaseholdError(
    'BAD_EVENT',
    `The event ${place} ${what}, which JSON cannot represent. Publish null or plain data.`,
  );
}

export interface EventCodec {
  /** Raises BAD_EVENT or EVENT_TOO_LARGE. */
  encode(event: unknown): string;
  /** Never raises, because no content of the file may stop a claim. */
  decode(text: unknown): Decoded<unknown>;
}

/** JSON of at most `maxBytes`; both directions check `schema`. */
export function eventCodec(maxBytes: number, schema: EventSchema<unknown> | undefined): EventCodec {
  return {
    encode(event) {
      if (schema) checkEvent(event, schema);
      return encodeEvent(event, maxBytes);
    },
    decode: (text) => decodeEvent(text, schema),
  };
}

/** For a thread whose caller encodes and decodes the events: text stays text, and only its being JSON is checked. */
export const textCodec: EventCodec = {
  encode: (text) => text as string,
  decode(text) {
    const decoded = decodeEvent(text);
    return 'reason' in decoded ? decoded : { event: text };
  },
};

/** Raises BAD_EVENT when `schema` refuses the event. */
function checkEvent(event: unknown, schema: EventSchema<unknown>): void {
  const { reason } = validateEvent(event, schema) as { reason?: string };
  if (reason !== undefined)
    throw new LeaseholdError('BAD_EVENT', `The event does not fit the schema: ${reason}.`);
}

function decodeEvent<E>(text: unknown, schema?: EventSchema<E>): Decoded<E> {
  if (typeof text !== 'string') return { reason: 'The event is not text.' };
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch (error) {
    return { reason: `The event is not JSON: ${(error as Error).message}` };
  }
  if (!schema) return { event: event as E };
  const checked = validateEvent(event, schema);
  return 'reason' in checked ? { reason: `The event does not fit the schema: ${checked.reason}` } : checked;
}

/**
 * A schema can run an app's own code. One bad event must not stop the queue, so an error that the schema raises is a reason
 * as well. So is a promise, which zod returns after a transform has raised, and anything that is no result.
 */
function validateEvent<E>(event: unknown, schema: EventSchema<E>): Decoded<E> {
  try {
    const result = schema['~standard'].validate(event);
    if (typeof (result as PromiseLike<unknown>).then === 'function') {
      void Promise.resolve(result).catch(() => undefined);
      return { reason: 'the schema returned a promise: it is asynchronous, or one of its transforms raised' };
    }
    const { issues, value } = result as { issues?: readonly SchemaIssue[]; value?: E };
    if (issues) return { reason: shorten(issues.map(issueText).join('; '), 4000) };
    if ('value' in result) return { event: value as E };
    return { reason: 'the schema returned neither a value nor issues' };
  } catch (error) {
    return { reason: `the schema raised ${describeThrown(error)}` };
  }
}

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

function issueText({ message, path }: SchemaIssue): string {
  if (!path?.length) return String(message);
  const steps = path.map((step) =>
    String(typeof step === 'object' && step !== null ? (step as { key: unknown }).key : step),
  );
  return `${steps.join('.')}: ${message}`;
}
