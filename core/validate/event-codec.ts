/** Events to JSON text and back. What JSON would drop or change without a word is refused instead. */
import { LeaseholdError } from '../contract/errors.ts';
import type { EventSchema } from '../contract/transport.ts';
import { show } from './checks.ts';

export const DEFAULT_MAX_EVENT_BYTES = 1024 * 1024;

/** What became of an event's text: the event, or why it cannot be handed to anybody. */
export type Decoded<E> = { readonly event: E } | { readonly reason: string };

/**
 * The event's JSON text. Raises BAD_EVENT for what JSON has no form for (undefined, functions, symbols, BigInt, NaN,
 * Infinity, cycles) and EVENT_TOO_LARGE above `maxBytes` of UTF-8. An object's undefined properties are left out, as
 * JSON does.
 */
function encodeEvent(event: unknown, maxBytes: number): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(event, refuseWhatJsonDrops);
  } catch (error) {
    if (error instanceof LeaseholdError) throw error;
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new LeaseholdError('BAD_EVENT', `The event is not JSON: ${why}. Publish plain data.`, {
      cause: error,
    });
  }
  if (json === undefined)
    throw new LeaseholdError(
      'BAD_EVENT',
      `The event is ${show(event)}, which JSON has no form for: publish null or plain data.`,
    );
  // A UTF-16 unit takes at most 3 bytes, so short texts need no counting.
  if (json.length * 3 > maxBytes && Buffer.byteLength(json) > maxBytes)
    throw new LeaseholdError(
      'EVENT_TOO_LARGE',
      `The event takes ${Buffer.byteLength(json)} bytes of JSON, more than the limit of ${maxBytes}: keep the data in a file and publish its path, or raise maxEventBytes.`,
    );
  return json;
}

/** Map, Set, RegExp, Error, Promise and their like become {}; instances of one's own classes keep their fields. */
function losesItsContent(value: unknown): boolean {
  if (value === null || Array.isArray(value)) return false;
  const kind = Object.prototype.toString.call(value);
  return !['[object Object]', '[object Number]', '[object String]', '[object Boolean]'].includes(kind);
}

function refuseWhatJsonDrops(this: unknown, key: string, value: unknown): unknown {
  const kind = typeof value;
  if (kind === 'string' || kind === 'boolean' || (kind === 'object' && !losesItsContent(value))) return value;
  if (kind === 'number' && Number.isFinite(value)) return value;
  // An object's undefined property is left out; in an array it would become null.
  if (kind === 'undefined' && !Array.isArray(this)) return value;
  const place = key === '' ? 'is' : `has at "${key}"`;
  throw new LeaseholdError(
    'BAD_EVENT',
    `The event ${place} ${show(value)}, which JSON has no form for: publish plain data.`,
  );
}

/** How events become the text in the file, and that text an event again. */
export interface EventCodec {
  /** Raises BAD_EVENT or EVENT_TOO_LARGE. */
  encode(event: unknown): string;
  /** Never raises: what is in the file must not stop a claim. */
  decode(text: unknown): Decoded<unknown>;
}

/** The codec of a transport: JSON within `maxBytes`, checked by `schema` on the way in and out. */
export function eventCodec(maxBytes: number, schema: EventSchema<unknown> | undefined): EventCodec {
  return {
    encode(event) {
      if (schema) checkEvent(event, schema);
      return encodeEvent(event, maxBytes);
    },
    decode: (text) => decodeEvent(text, schema),
  };
}

/** For the far side of a thread: events were encoded before and are decoded after; here only what is JSON passes. */
export const textCodec: EventCodec = {
  encode: (text) => text as string,
  decode(text) {
    const decoded = decodeEvent(text);
    return 'reason' in decoded ? decoded : { event: text };
  },
};

/** Raises BAD_EVENT when `schema` refuses the event. */
function checkEvent(event: unknown, schema: EventSchema<unknown>): void {
  const { reason } = validate(event, schema) as { reason?: string };
  if (reason !== undefined)
    throw new LeaseholdError('BAD_EVENT', `The event does not fit the schema: ${reason}.`);
}

function decodeEvent<E>(text: unknown, schema?: EventSchema<E>): Decoded<E> {
  if (typeof text !== 'string') return { reason: 'The event is no text.' };
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch (error) {
    return { reason: `The event is not JSON: ${(error as Error).message}` };
  }
  if (!schema) return { event: event as E };
  const checked = validate(event, schema);
  return 'reason' in checked ? { reason: `The event does not fit the schema: ${checked.reason}` } : checked;
}

/**
 * A schema may run its author's code. One event that it stumbles over must not stop the queue, so what it raises is a reason
 * like any other; as is a promise, which zod answers with where a transform raised.
 */
function validate<E>(event: unknown, schema: EventSchema<E>): Decoded<E> {
  try {
    const result = schema['~standard'].validate(event);
    if (result instanceof Promise) {
      result.catch(() => undefined);
      return { reason: 'the schema did not answer at once: it is asynchronous, or it raised' };
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
