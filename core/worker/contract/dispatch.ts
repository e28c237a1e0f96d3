/** Chooses the handler of an event. */
import { types } from 'node:util';
import { BadArgument, LeaseholdError, shorten } from '../../contract/errors.ts';
import {
  type Check,
  checkFunction,
  checkPlainObject,
  type FieldChecks,
  readFields,
  show,
} from '../../validate/checks.ts';
import type { Handler, Handlers } from './worker-types.ts';

/** Returns the handler, or the error with which an event without one is buried. */
export type Dispatch<E> = (event: E) => Handler<E> | LeaseholdError;

/** The call of a generator function runs nothing of it, and its message would be acked. */
const checkHandler: Check = (what, value) => {
  checkFunction(what, value);
  if (types.isGeneratorFunction(value))
    throw new BadArgument(`${what} is a generator function. Pass a function, or an async function.`);
};

const checkHandlers: Check = (what, value) => {
  checkPlainObject(what, value);
  const entries = Object.entries(value);
  for (const [kind, handler] of entries) checkHandler(`${what}.${shorten(kind, 80)}`, handler);
  if (entries.length === 0) throw new BadArgument(`${what} is empty: add a function for each kind of event.`);
  return Object.fromEntries(entries);
};

const checkKindField: Check = (what, value) => {
  if (typeof value !== 'string' || value === '')
    throw new BadArgument(
      `${what} must be the name of the event's field that chooses the handler, not ${show(value)}.`,
    );
};

const HANDLERS: FieldChecks<Handlers> = { handlers: checkHandlers, kindField: checkKindField };

/** Raises BadArgument unless `given` is a function, or an object with at least one handler. */
export function makeDispatch<E, Field extends string>(given: Handler<E> | Handlers<E, Field>): Dispatch<E> {
  if (typeof given === 'function') {
    checkHandler('The handler', given);
    return () => given;
  }
  const { handlers, kindField = 'kind' } = readFields<Handlers<unknown, string>>(
    'The handler (a function, or {handlers: {…}})',
    given,
    HANDLERS,
    { required: ['handlers'] },
  );
  // A Map, so that an event of kind "constructor" finds no inherited function.
  const byKind = new Map<unknown, Handler<E>>(Object.entries(handlers));
  return (event) => {
    const kind = readKind(event, kindField);
    // The keys of an object are text, also where the kinds are numbers, as those of an enum are.
    const name = typeof kind === 'number' ? String(kind) : kind;
    return byKind.get(name) ?? noHandler(kindField, kind, [...byKind.keys()] as string[]);
  };
}

/** Undefined where the event has no such field, or it cannot be read: a schema may turn an event into anything. */
function readKind(event: unknown, kindField: string): unknown {
  try {
    if (typeof event !== 'object' || event === null || !Object.hasOwn(event, kindField)) return undefined;
    return (event as Record<string, unknown>)[kindField];
  } catch {
    return undefined;
  }
}

function noHandler(kindField: string, kind: unknown, known: string[]): LeaseholdError {
  const what =
    kind === undefined
      ? `The event has no field ${show(kindField)}`
      : `No handler for ${kindField} ${show(kind)}`;
  return new LeaseholdError(
    'NO_HANDLER',
    `${what}: this worker handles ${known.map(show).join(', ')}. Publish it again once it has a handler.`,
  );
}
