/** Checks of arguments and options, all before any write. Each error names the value and says what would be right. */
import { BadArgument } from '../contract/errors.ts';

/** A value as an error message shows it: short, on one line, strings in quotes. */
export function show(value: unknown): string {
  let text: string;
  if (typeof value === 'string') text = JSON.stringify(value);
  else if (typeof value === 'bigint') text = `${value}n`;
  else if (typeof value === 'function') text = `function ${value.name}`;
  else if (typeof value === 'object' && value !== null)
    text = Array.isArray(value) ? 'an array' : kindOf(value);
  else text = String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

/** "an object", or what kind of object: "a Map". */
function kindOf(value: object): string {
  const name = Object.prototype.toString.call(value).slice(8, -1);
  return name === 'Object' ? 'an object' : `a ${name}`;
}

export function checkPlainObject(what: string, value: unknown): asserts value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BadArgument(`${what} must be an object, not ${show(value)}.`);
}

/** Refuses a name that is not among `known`, and offers the one that was probably meant. */
export function checkKnown(what: string, options: object, known: readonly string[]): void {
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const meant = known.find(
      (other) => other.toLowerCase() === name.toLowerCase() || isOneEditAway(name, other),
    );
    const remedy = meant ? `did you mean "${meant}"?` : `known are: ${known.join(', ')}.`;
    throw new BadArgument(`Misspelled option "${name}" in ${what}: ${remedy}`);
  }
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

export function checkList(what: string, value: unknown): asserts value is readonly unknown[] {
  if (!Array.isArray(value)) throw new BadArgument(`${what} must be an array, not ${show(value)}.`);
}

/** A finite number of at least `least`. */
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
 * Text that SQLite keeps as it is: no NUL (many readers of the file would cut it there) and no lone surrogate (UTF-8
 * has none, so two different ids would become one).
 */
export function checkText(what: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw new BadArgument(`${what} must be a string, not ${show(value)}.`);
  if (value.includes('\0'))
    throw new BadArgument(`${what} ${show(value)} contains a NUL character: take it out.`);
  if (!value.isWellFormed())
    throw new BadArgument(
      `${what} ${show(value)} contains a lone surrogate: pass it through toWellFormed() first.`,
    );
}
