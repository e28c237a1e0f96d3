/** Chooses the handler of an event. */
import { BadArgument, LeaseholdError } from '../../contract/errors.ts';
import { checkKnown, checkPlainObject, show } from '../../validate/checks.ts';
import type { Handler, Handlers } from './worker-types.ts';

/** Returns the handler, or the error with which an event without one is buried. */
export type Dispatch<E> = (event: E) => Handler<E> | LeaseholdError;

/** Raises BadArgument unless `given` is a function, or an object with at least one handler. */
export function makeDispatch<E, Field extends string>(given: Handler<E> | Handlers<E, Field>): Dispatch<E> {
  if (typeof given === 'function') return () => given;
  checkPlainObject('The handler (a function, or {handlers: {…}})', given);
  checkKnown('the handler set', given, ['handlers', 'kindField']);
  const { handlers, kindField = 'kind' } = given as unknown as Handlers<E, string>;
  checkPlainObject('handlers', handlers);
  if (typeof kindField !== 'string' || kindField === '')
    throw new BadArgument(
      `kindField must be the name of the event's field that chooses the handler, not ${show(kindField)}.`,
    );
  // A Map, so that an event of kind "constructor" finds no inherited function.
  const byKind = new Map<unknown, Handler<E>>();
  for (const [kind, handler] of Object.entries(handlers)) {
    if (typeof handler !== 'function')
      throw new BadArgument(`handlers.${kind} must be a function, not ${show(handler)}.`);
    byKind.set(kind, handler as Handler<E>);
  }
  if (byKind.size === 0) throw new BadArgument('handlers is empty: add a function for each kind of event.');
  return (event) => {
    const kind = readKind(event, kindField);
    return byKind.get(kind) ?? noHandler(kindField, kind, [...byKind.keys()] as string[]);
  };
}

function readKind(event: unknown, kindField: string): unknown {
  if (typeof event !== 'object' || event === null || !Object.hasOwn(event, kindField)) return undefined;
  return (event as Record<string, unknown>)[kindField];
}

function noHandler(kindField: string, kind: unknown, known: string[]): LeaseholdError {
  const what =
    kind === undefined
      ? `The event has no field ${show(kindField)}`
      : `No handler for ${kindField} ${show(kind)}`;
  return new LeaseholdError(
    'NOT_FOUND',
    `${what}: this worker handles ${known.map(show).join(', ')}. Publish it again once it has a handler.`,
  );
}
