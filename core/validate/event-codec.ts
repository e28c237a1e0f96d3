/** Encodes events as JSON text and decodes them. A value that JSON would silently drop or change is refused instead. */
import { LeaseholdError } from '../contract/errors.ts';
import type { EventSchema } from '../contract/transport.ts';
import { show } from './checks.ts';

export const DEFAULT_MAX_EVENT_BYTES = 1024 * 1024;

/** The event, or the reason why its text cannot be decoded. */
export type Decoded<E> = { readonly event: E } | { readonly reason: string };

/**
 * Raises BAD_EVENT for a value that JSON cannot represent (undefined, functions, symbols, BigInt, NaN, Infinity, cycles),
 * and EVENT_TOO_LARGE above `maxBytes` of UTF-8. As in JSON, an object's undefined properties are left out.
 */
function encodeEvent(event: unknown, maxBytes: number): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(event, refuseLoss);
  } catch (error) {
    if (error instanceof LeaseholdError) throw error;
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new LeaseholdError('BAD_EVENT', `The event is not JSON (${why}). Publish plain data.`, {
      cause: error,
    });
  }
  if (json === undefined)
    throw new LeaseholdError(
      'BAD_EVENT',
      `The event is ${show(event)}, which JSON cannot represent. Publish null or plain data.`,
    );
  // A UTF-16 unit is at most 3 bytes, so the bytes of a short text need not be counted.
  if (json.length * 3 > maxBytes && Buffer.byteLength(json) > maxBytes)
    throw new LeaseholdError(
      'EVENT_TOO_LARGE',
      `The event has ${Buffer.byteLength(json)} bytes of JSON, more than the limit of ${maxBytes}. Store the data in a file and publish its path, or raise maxEventBytes.`,
    );
  return json;
}

/** Map, Set, RegExp, Error, Promise and so on become {} in JSON. Instances of an app's own classes keep their fields. */
function losesContent(value: unknown): boolean {
  if (value === null || Array.isArray(value)) return false;
  const kind = Object.prototype.toString.call(value);
  return !['[object Object]', '[object Number]', '[object String]', '[object Boolean]'].includes(kind);
}

function refuseLoss(this: unknown, key: string, value: unknown): unknown {
  const kind = typeof value;
  if (kind === 'string' || kind === 'boolean' || (kind === 'object' && !losesContent(value))) return value;
  if (kind === 'number' && Number.isFinite(value)) return value;
  // In an array undefined would become null.
  if (kind === 'undefined' && !Array.isArray(this)) return value;
  const place = key === '' ? 'is' : `has at "${key}"`;
  throw new LeaseholdError(
    'BAD_EVENT',
    `The event ${place} ${show(value)}, which JSON cannot represent. Publish plain data.`,
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
 * as well. So is a promise, which zod returns after a transform has raised.
 */
function validateEvent<E>(event: unknown, schema: EventSchema<E>): Decoded<E> {
  try {
    const result = schema['~standard'].validate(event);
    if (result instanceof Promise) {
      result.catch(() => undefined);
      return { reason: 'the schema returned a promise: it is asynchronous, or one of its transforms raised' };
    }
    return result.issues ? { reason: result.issues.map(issueText).join('; ') } : { event: result.value };
  } catch (error) {
    return { reason: `the schema raised ${error instanceof Error ? error.message : show(error)}` };
  }
}

function issueText({ message, path }: { message: string; path?: readonly unknown[] | undefined }): string {
  if (!path?.length) return message;
  const steps = path.map((step) =>
    String(typeof step === 'object' && step !== null ? (step as { key: unknown }).key : step),
  );
  return `${steps.join('.')}: ${message}`;
}
