/** Which handler an event is for. */
import { BadArgument, LeaseholdError } from '../../contract/errors.ts';
import { checkKnown, checkPlainObject, show } from '../../validate/checks.ts';
import type { Handler, Handlers } from './worker-types.ts';

/** The handler, or the error with which an event that none serves is buried. */
export type Dispatch<E> = (event: E) => Handler<E> | LeaseholdError;

/** Raises BadArgument for anything but a function or a filled set of functions. */
export function makeDispatch<E, Field extends string>(given: Handler<E> | Handlers<E, Field>): Dispatch<E> {
  if (typeof given === 'function') return () => given;
  checkPlainObject('The handler (a function, or {handlers: {…}})', given);
  checkKnown('the handler set', given, ['handlers', 'kindField']);
  const { handlers, kindField: field = 'kind' } = given as unknown as Handlers<E, string>;
  checkPlainObject('handlers', handlers);
  if (typeof field !== 'string' || field === '')
    throw new BadArgument(
      `kindField must be the name of the event's field that tells the handler, not ${show(field)}.`,
    );
  // A Map, so that an event of kind "constructor" finds nothing.
  const byKind = new Map<unknown, Handler<E>>();
  for (const [kind, handler] of Object.entries(handlers)) {
    if (typeof handler !== 'function')
      throw new BadArgument(`handlers.${kind} must be a function, not ${show(handler)}.`);
    byKind.set(kind, handler as Handler<E>);
  }
  if (byKind.size === 0) throw new BadArgument('handlers is empty: add a function for each kind of event.');
  return (event) => {
    const kind = kindOf(event, field);
    return byKind.get(kind) ?? noHandler(field, kind, [...byKind.keys()] as string[]);
  };
}

function kindOf(event: unknown, field: string): unknown {
  if (typeof event !== 'object' || event === null || !Object.hasOwn(event, field)) return undefined;
  return (event as Record<string, unknown>)[field];
}

function noHandler(field: string, kind: unknown, known: string[]): LeaseholdError {
  const what =
    kind === undefined ? `The event has no field ${show(field)}` : `No handler for ${field} ${show(kind)}`;
  const serves = known.map(show).join(', ');
  return new LeaseholdError(
    'NOT_FOUND',
    `${what}: this worker handles ${serves}. Publish it again once it has a handler.`,
  );
}
