/**
 * The checks of every public boundary. A check takes the name of a value and the value, and raises BadArgument with the
 * value and the remedy. All checks come before any write.
 *
 * The fields of an object are checked by a table with one check for each field of its type, so a field without a check does
 * not compile. `readFields` reads each field once and returns what it has checked: a getter or a Proxy may answer otherwise
 * the next time, and may raise.
 */
import { BadArgument, describeThrown, isInstance, LeaseholdError, shorten } from '../contract/errors.ts';

/** May return what is to be used in place of the value: its checked copy. */
export type Check = (what: string, value: unknown) => unknown;

/** A check for each field of T. */
export type FieldChecks<T> = { readonly [Field in keyof T]-?: Check };

/** For a field that is checked elsewhere. */
export const unchecked: Check = () => undefined;

/** What one list holds at most. */
const MAX_ITEMS = 1_000_000;

/**
 * The value as an error message shows it: on one line, at most 80 characters, strings in quotes. Never raises, whatever the
 * value does when it is read.
 */
export function show(value: unknown): string {
  try {
    return shorten(textOf(value), 80);
  } catch {
    return 'a value that cannot be read';
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return `function ${value.name}`;
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'an array' : typeOfObject(value);
}

/** "an object", or for a built-in class "a Map". */
function typeOfObject(value: object): string {
  const name = Object.prototype.toString.call(value).slice(8, -1);
  return name === 'Object' ? 'an object' : `a ${name}`;
}

export function checkPlainObject(what: string, value: unknown): asserts value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || isList(value))
    throw new BadArgument(`${what} must be an object, not ${show(value)}.`);
}

/** False for a revoked Proxy, at which Array.isArray raises. */
function isList(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

/** Runs `read`, which reads a value of the caller's. What that value raises becomes a BadArgument. */
export function readable<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (isInstance(error, LeaseholdError)) throw error;
    throw new BadArgument(`${what} cannot be read (${describeThrown(error)}). Pass plain data.`, {
      cause: error,
    });
  }
}

interface FieldOptions<T> {
  /** Comes before the names of fields in errors. */
  readonly prefix?: string;
  readonly required?: readonly (keyof T & string)[];
}

/**
 * Returns a new object with the fields of T, inherited ones included, without those that are undefined. Refuses a field that
 * T does not have, one whose check refuses it, and a missing one of the `required` fields.
 */
export function readFields<T extends object>(
  what: string,
  value: unknown,
  checks: FieldChecks<T>,
  { prefix = '', required = [] }: FieldOptions<T> = {},
): T {
  checkPlainObject(what, value);
  return readable(what, () => {
    for (const name of Object.keys(value))
      if (!Object.hasOwn(checks, name)) throw misspelled(what, name, Object.keys(checks));
    const fields: Partial<T> = {};
    for (const name in checks) {
      const field = value[name];
      if (field !== undefined) fields[name] = (checks[name](prefix + name, field) ?? field) as T[typeof name];
    }
    for (const name of required)
      if (fields[name] === undefined)
        throw new BadArgument(`${prefix}${name} is missing. Pass it in ${what}.`);
    return fields as T;
  });
}

/** The same checks, for a caller that needs no copy. */
export function checkFields<T extends object>(
  what: string,
  value: unknown,
  checks: FieldChecks<T>,
  options: FieldOptions<T> = {},
): asserts value is T {
  readFields(what, value, checks, options);
}

/** Returns a new array with what `readItem` makes of each item. */
export function readItems<T>(what: string, value: unknown, readItem: (item: unknown) => T): T[] {
  checkList(what, value);
  return readable(what, () => {
    const { length } = value;
    if (!(length <= MAX_ITEMS))
      throw new BadArgument(
        `${what} has ${show(length)} items. The limit is ${MAX_ITEMS}: pass them in parts.`,
      );
    const items: T[] = [];
    // By index: an array may come with an iterator of its own.
    for (let at = 0; at < length; at++) items.push(readItem(value[at]));
    return items;
  });
}

/** `names`: every event that `owner` has. Refuses another name, and a listener that cannot be called. */
export function checkListener(
  owner: string,
  names: readonly string[],
  name: unknown,
  listener: unknown,
): void {
  if (!names.includes(name as string))
    throw new BadArgument(`A ${owner} has no event ${show(name)}. Its events are: ${names.join(', ')}.`);
  checkFunction(`The listener of '${name}'`, listener);
}

/** The members of a union of strings. One that is left out does not compile. */
export function membersOf<T extends string>(members: Readonly<Record<T, true>>): T[] {
  return Object.keys(members) as T[];
}

/** Suggests the name that was probably meant. */
function misspelled(what: string, name: string, known: readonly string[]): BadArgument {
  const meant = known.find(
    (other) => other.toLowerCase() === name.toLowerCase() || isOneEditAway(name, other),
  );
  const remedy = meant ? `did you mean "${meant}"?` : `known are: ${known.join(', ')}.`;
  return new BadArgument(`Misspelled option ${show(name)} in ${what}: ${remedy}`);
}

function isOneEditAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  const room = Math.min(a.length, b.length) - start;
  while (end < room && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return Math.max(a.length, b.length) - start - end <= 1;
}

export function checkBoolean(what: string, value: unknown): asserts value is boolean {
  if (typeof value !== 'boolean') throw new BadArgument(`${what} must be true or false, not ${show(value)}.`);
}

// biome-ignore lint/complexity/noBannedTypes: any function fits
export function checkFunction(what: string, value: unknown): asserts value is Function {
  if (typeof value !== 'function') throw new BadArgument(`${what} must be a function, not ${show(value)}.`);
}

/** What Clock declares. */
export const checkClock: Check = (what, value) => {
  for (const method of ['now', 'monotonic', 'after'])
    checkFunction(`${what}.${method}`, (value as Record<string, unknown> | null)?.[method]);
};

export function checkList(what: string, value: unknown): asserts value is readonly unknown[] {
  if (!isList(value)) throw new BadArgument(`${what} must be an array, not ${show(value)}.`);
}

/** A finite number that is at least `least`. */
export function checkNumber(what: string, value: unknown, least: number): asserts value is number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < least)
    throw new BadArgument(`${what} must be a finite number of at least ${least}, not ${show(value)}.`);
}

/** A hundred years. A longer one would bring epoch times beyond what a Date, or a microsecond in a double, can hold. */
export const MAX_DURATION_MS = 100 * 365.25 * 24 * 3_600_000;

/** A time span in ms that ends up in the file. */
export function checkDuration(what: string, value: unknown, least: number): asserts value is number {
  checkNumber(what, value, least);
  if (value > MAX_DURATION_MS)
    throw new BadArgument(`${what} must be at most ${MAX_DURATION_MS} ms (100 years), not ${show(value)}.`);
}

export function checkWhole(
  what: string,
  value: unknown,
  least: number,
  most: number,
): asserts value is number {
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > most)
    throw new BadArgument(`${what} must be a whole number from ${least} to ${most}, not ${show(value)}.`);
}

export const checkMaxAttempts: Check = (what, value) => {
  if (value !== Number.POSITIVE_INFINITY)
    checkWhole(`${what} (or Infinity)`, value, 1, Number.MAX_SAFE_INTEGER);
};

export function checkOneOf<T extends string>(
  what: string,
  value: unknown,
  allowed: readonly T[],
): asserts value is T {
  if (!allowed.includes(value as T))
    throw new BadArgument(`${what} must be ${allowed.map(show).join(' or ')}, not ${show(value)}.`);
}

/**
 * A string that SQLite stores unchanged: without NUL, where many readers of the file would cut it off, and without lone
 * surrogates, which UTF-8 does not have, so that two different ids would become one.
 */
export function checkText(what: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw new BadArgument(`${what} must be a string, not ${show(value)}.`);
  if (value.includes('\0'))
    throw new BadArgument(`${what} ${show(value)} contains a NUL character. Remove it.`);
  if (!value.isWellFormed())
    throw new BadArgument(
      `${what} ${show(value)} contains a lone surrogate. Call toWellFormed() on it first.`,
    );
}
