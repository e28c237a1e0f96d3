/**
 * Finds what JSON.stringify would drop or change without saying so.
 *
 * Not found, because ordinary values have it: -0 (it becomes 0), properties that are undefined or not enumerable and those that
 * an array has beside its items (left out), a getter of the object itself (its value is stored), an instance of a class (its
 * fields are stored), `toJSON` (what it returns is stored).
 */
import { types } from 'node:util';
import { show } from './checks.ts';

export interface Loss {
  /** The way to it, as in `.items[3].price`; empty for the event itself. */
  readonly path: string;
  /** What is there, as an error shows it. */
  readonly what: string;
}

/** `value` must be one that JSON.stringify has accepted: then it has no cycle, and a BigInt in it has a `toJSON`. */
export function findLoss(value: unknown): Loss | null {
  return lossOf(value, '', false);
}

function lossOf(value: unknown, key: string | number, inArray: boolean): Loss | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return null;
    case 'number':
      return Number.isFinite(value) ? null : here(value);
    case 'undefined':
      // An object's property is left out. In an array it would become null, as a hole does.
      return inArray ? here(value) : null;
    case 'object':
      return value === null ? null : lossOfObject(value, key, inArray);
    case 'function':
      return 'toJSON' in value ? lossOfObject(value, key, inArray) : here(value);
    default:
      return here(value);
  }
}

function lossOfObject(value: object, key: string | number, inArray: boolean): Loss | null {
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') {
    const json: unknown = toJSON.call(value, String(key));
    if (json === null && types.isDate(value)) return { path: '', what: 'an invalid Date' };
    return lossOf(json, key, inArray);
  }
  if (Array.isArray(value)) return lossOfItems(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    const kind = Object.prototype.toString.call(value);
    if (kind === '[object String]' || kind === '[object Boolean]') return null;
    if (kind === '[object Number]') return Number.isFinite(Number(value)) ? null : here(Number(value));
    // Map, Set, RegExp, Error, Promise and so on become {}.
    if (kind !== '[object Object]') return here(value);
  }
  return lossOfFields(value as Record<string, unknown>);
}

function lossOfItems(items: readonly unknown[]): Loss | null {
  for (let at = 0; at < items.length; at++) {
    const loss = lossOf(items[at], at, true);
    if (loss) return below(`[${at}]`, loss);
  }
  return null;
}

function lossOfFields(fields: Record<string, unknown>): Loss | null {
  for (const key of Object.keys(fields)) {
    const loss = lossOf(fields[key], key, false);
    if (loss) return below(/^[A-Za-z_$][\w$]{0,80}$/.test(key) ? `.${key}` : `[${show(key)}]`, loss);
  }
  for (const symbol of Object.getOwnPropertySymbols(fields))
    if (Object.prototype.propertyIsEnumerable.call(fields, symbol))
      return { path: '', what: `a property whose key is ${show(symbol)}` };
  return null;
}

const here = (value: unknown): Loss => ({ path: '', what: show(value) });

const below = (step: string, { path, what }: Loss): Loss => ({ path: step + path, what });
