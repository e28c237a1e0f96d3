/**
 * The text of an event after the app's `redact` has hidden parts of it.
 *
 * An event that `redact` leaves unchanged keeps its exact text, unless it repeats a key. A changed event is written as JSON
 * of what is left, and each unchanged number keeps its digits: 12345678901234567890 is not rounded. Only in an array from which
 * `redact` removed items, or added some, nothing says which number an item was: its digits might be those of a removed one.
 */

/** Returns the event without what must stay hidden. It gets a copy, which it may also edit in place. */
export type Redact = (event: unknown) => unknown;

export interface RedactedEvent {
  readonly text: string;
  /** True when the text differs from the event's own: it must then never be saved. */
  readonly isRedacted: boolean;
}

const hidden = (reason: string): RedactedEvent => ({
  text: JSON.stringify(`(hidden: ${reason})`),
  isRedacted: true,
});

export function redactEvent(eventJson: string, redact: Redact): RedactedEvent {
  try {
    const original: unknown = JSON.parse(eventJson);
    // Parsed again: a redact that edits its argument in place must not edit the value that the result is compared with.
    const left = redact(JSON.parse(eventJson));
    const text = JSON.stringify(left);
    if (text === undefined) return hidden('redact returned nothing');
    // Of a repeated key, redact sees only the last value: the event's own text would show the others.
    if (text === JSON.stringify(original) && countFields(text) === countFields(eventJson))
      return { text: eventJson, isRedacted: false };
    return {
      text: JSON.stringify(withExactNumbers(left, original, numberTexts(eventJson))),
      isRedacted: true,
    };
  } catch (error) {
    // Text that is not JSON, or that redact failed on, may contain what should be hidden. So may the error's message.
    return hidden(error instanceof SyntaxError ? 'not JSON' : 'redact failed');
  }
}

/** The number of `"key": value` pairs in JSON text, at any depth. A repeated key counts each time. */
const countFields = (json: string): number =>
  json
    .replace(/\\./g, '')
    .replace(/"[^"]*"/g, '')
    .split(':').length - 1;

/** JSON.parse's third reviver argument and JSON.rawJSON: in V8 since 11.4, not yet in TypeScript's library. */
interface SourceTextJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}
const sourceText = JSON as unknown as SourceTextJson;

/** The event with each number replaced by its text in the file. */
const numberTexts = (eventJson: string) =>
  sourceText.parse(eventJson, (_key, value, { source }) =>
    typeof value === 'number' ? (source ?? String(value)) : value,
  );

/** `value`, in which a number that equals the original's at the same place is written with the original's text. */
function withExactNumbers(value: unknown, original: unknown, texts: unknown): unknown {
  const left = toJsonValue(value);
  if (typeof left === 'number' && left === original) return sourceText.rawJSON(texts as string);
  if (!isObject(left) || !isObject(original) || !isObject(texts)) return left;
  if (Array.isArray(left)) {
    if (left.length !== original.length) return left;
    return left.map((item, i) => withExactNumbers(item, original[i], texts[i]));
  }
  return Object.fromEntries(
    Object.entries(left).map(([key, item]) => [key, withExactNumbers(item, original[key], texts[key])]),
  );
}

/** Applies toJSON as JSON.stringify does: an object's other fields may be the very ones that it hides. */
function toJsonValue(value: unknown): unknown {
  const { toJSON } = (value ?? {}) as { toJSON?: unknown };
  return typeof value === 'object' && typeof toJSON === 'function' ? toJSON.call(value) : value;
}

function isObject(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}
