/**
 * The checks of every public boundary. A check takes the name of a value and the value, and raises BadArgument with the
 * value and the remedy. The fields of an object are checked by a table with one check for each field of its type
 * (`checkFields`), so a field without a check does not compile. All checks come before any write.
 */
import { BadArgument } from '../contract/errors.ts';

export type Check = (what: string, value: unknown) => void;

/** A check for each field of T. */
export type FieldChecks<T> = { readonly [Field in keyof T]-?: Check };

/** For a field that is checked elsewhere. */
export const unchecked: Check = () => undefined;

/** The value as an error message shows it: on one line, at most 80 characters, strings in quotes. */
export function show(value: unknown): string {
  let text: string;
  if (typeof value === 'string') text = JSON.stringify(value);
  else if (typeof value === 'bigint') text = `${value}n`;
  else if (typeof value === 'function') text = `function ${value.name}`;
  else if (typeof value === 'object' && value !== null)
    text = Array.isArray(value) ? 'an array' : typeOfObject(value);
  else text = String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

/** "an object", or for a built-in class "a Map". */
function typeOfObject(value: object): string {
  const name = Object.prototype.toString.call(value).slice(8, -1);
  return name === 'Object' ? 'an object' : `a ${name}`;
}

export function checkPlainObject(what: string, value: unknown): asserts value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BadArgument(`${what} must be an object, not ${show(value)}.`);
}

/**
 * Refuses a field that T does not have, one whose check refuses it, and a missing one of the `required` fields. A field that
 * is undefined counts as left out. `prefix` comes before the names of fields in errors.
 */
export function checkFields<T extends object>(
  what: string,
  value: unknown,
  checks: FieldChecks<T>,
  { prefix = '', required = [] }: { prefix?: string; required?: readonly (keyof T & string)[] } = {},
): asserts value is T {
  checkPlainObject(what, value);
  for (const name of Object.keys(value))
    if (!Object.hasOwn(checks, name)) throw misspelled(what, name, Object.keys(checks));
  // All fields of T, since an object can inherit some.
  for (const name in checks) {
    const field = value[name];
    if (field !== undefined) checks[name](prefix + name, field);
  }
  for (const name of required)
    if (value[name] === undefined) throw new BadArgument(`${prefix}${name} is missing.`);
}

/** Refuses a name that is not among `known`. */
export function checkKnown(what: string, options: object, known: readonly string[]): void {
  for (const name of Object.keys(options)) if (!known.includes(name)) throw misspelled(what, name, known);
}

/** Suggests the name that was probably meant. */
function misspelled(what: string, name: string, known: readonly string[]): BadArgument {
  const meant = known.find(
    (other) => other.toLowerCase() === name.toLowerCase() || isOneEditAway(name, other),
  );
  const remedy = meant ? `did you mean "${meant}"?` : `known are: ${known.join(', ')}.`;
  return new BadArgument(`Misspelled option "${name}" in ${what}: ${remedy}`);
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

export function checkList(what: string, value: unknown): asserts value is readonly unknown[] {
  if (!Array.isArray(value)) throw new BadArgument(`${what} must be an array, not ${show(value)}.`);
}

/** A finite number that is at least `least`. */
export function checkNumber(what: string, value: unknown, least: number): asserts value is number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < least)
    throw new BadArgument(`${what} must be a finite number of at least ${least}, not ${show(value)}.`);
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
