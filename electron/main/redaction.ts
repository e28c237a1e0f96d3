/**
 * What of an event the page may see, where the host hides some of it.
 *
 * An event that the host leaves as it is keeps its text to the letter. One that it changes is shown as JSON of what is
 * left, with every number that is still the same written as the file has it: 12345678901234567890 stays that.
 */
export type Redact = (event: unknown) => unknown;

export interface Shown {
  readonly text: string;
  /** True when the host hid something: what is shown must then never be saved. */
  readonly isRedacted: boolean;
}

const hidden = (why: string): Shown => ({ text: JSON.stringify(`(hidden: ${why})`), isRedacted: true });

export function shownEvent(eventJson: string, redact: Redact | undefined): Shown {
  if (!redact) return { text: eventJson, isRedacted: false };
  let original: unknown;
  let left: unknown;
  try {
    original = JSON.parse(eventJson);
    // A parse of its own: a redact that edits its argument in place must not edit what it is compared with.
    left = redact(JSON.parse(eventJson));
    const text = JSON.stringify(left);
    if (text === undefined) return hidden('redact returned nothing');
    if (text === JSON.stringify(original)) return { text: eventJson, isRedacted: false };
    return { text: JSON.stringify(withExactNumbers(left, original, sources(eventJson))), isRedacted: true };
  } catch (error) {
    // Neither text that is no JSON nor what a failing redact would have hidden may pass.
    return hidden(error instanceof SyntaxError ? 'not JSON' : 'redact failed');
  }
}

/** JSON.parse's third reviver argument and JSON.rawJSON: in V8 since 11.4, not yet in TypeScript's library. */
interface SourceTextJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}
const sourceText = JSON as unknown as SourceTextJson;

/** The event with each number replaced by its text. */
const sources = (eventJson: string) =>
  sourceText.parse(eventJson, (_key, value, { source }) =>
    typeof value === 'number' ? (source ?? String(value)) : value,
  );

/** `left`, with the numbers that stand where the original has the same one written as the original's text. */
function withExactNumbers(given: unknown, original: unknown, source: unknown): unknown {
  const left = asJsonWould(given);
  if (typeof left === 'number' && left === original) return sourceText.rawJSON(source as string);
  if (!isObject(left) || !isObject(original) || !isObject(source)) return left;
  if (Array.isArray(left)) return left.map((item, i) => withExactNumbers(item, original[i], source[i]));
  return Object.fromEntries(
    Object.entries(left).map(([key, value]) => [key, withExactNumbers(value, original[key], source[key])]),
  );
}

/** What an object says it is to be written as; its other fields may be the very ones to hide. */
function asJsonWould(value: unknown): unknown {
  const { toJSON } = (value ?? {}) as { toJSON?: unknown };
  return typeof value === 'object' && typeof toJSON === 'function' ? toJSON.call(value) : value;
}

function isObject(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}
