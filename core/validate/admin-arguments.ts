/**
 * Checks the arguments of a QueueAdmin's calls. openAdmin checks what its caller passes, and the inspector's IPC handlers
 * check what the page sends: a compromised page can send anything. Each argument is copied field by field into a new object
 * of known names, types, ranges and lengths.
 */
import type {
  GroupRow,
  GroupSort,
  GroupsQuery,
  MessageFence,
  MessageSort,
  MessageState,
  MessagesQuery,
  Operation,
  OperationKind,
  OperationOf,
} from '../contract/admin.ts';
import { BadArgument, LeaseholdError } from '../contract/errors.ts';
import {
  checkBoolean,
  checkKnown,
  checkOneOf,
  checkPlainObject,
  checkText,
  checkWhole,
  show,
} from './checks.ts';
import { DEFAULT_MAX_EVENT_BYTES } from './event-codec.ts';
import { HIGHEST_PRIORITY } from './transport-arguments.ts';

type Check<T> = (what: string, value: unknown) => T;
type Checks<T> = { readonly [Key in keyof T]-?: Check<Exclude<T[Key], undefined>> };

const MAX_PAGE_SIZE = 1_000;
const MAX_SEARCH = 1_000;
const MAX_NAME = 10_000;
const MAX_DELAY_MS = 366 * 24 * 3_600_000;

function whole(least: number, most: number): Check<number> {
  return (what, value) => {
    checkWhole(what, value, least, most);
    return value;
  };
}

function text(longest: number): Check<string> {
  return (what, value) => {
    checkText(what, value);
    if (value.length > longest)
      throw new BadArgument(`${what} has ${value.length} characters: at most ${longest} are accepted.`);
    return value;
  };
}

function oneOf<T extends string>(...allowed: T[]): Check<T> {
  return (what, value) => {
    checkOneOf(what, value, allowed);
    return value;
  };
}

function orNull<T>(check: Check<T>): Check<T | null> {
  return (what, value) => (value === null ? null : check(what, value));
}

const boolean: Check<boolean> = (what, value) => {
  checkBoolean(what, value);
  return value;
};

const finite: Check<number> = (what, value) => {
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new BadArgument(`${what} must be a finite number, not ${show(value)}.`);
  return value;
};

/**
 * JSON within a transport's default size limit. Without this check a claim would be the first to find that the event is
 * not JSON, and would bury it.
 */
const eventText: Check<string> = (what, value) => {
  checkText(what, value);
  const bytes = Buffer.byteLength(value);
  if (bytes > DEFAULT_MAX_EVENT_BYTES)
    throw new LeaseholdError(
      'EVENT_TOO_LARGE',
      `${what} takes ${bytes} bytes, more than the limit of ${DEFAULT_MAX_EVENT_BYTES}: shorten it, or leave it out to re-publish the event as it is.`,
    );
  try {
    JSON.parse(value);
  } catch (error) {
    throw new LeaseholdError(
      'BAD_EVENT',
      `${what} ${show(value)} is not JSON (${(error as Error).message}): correct it, or leave it out to re-publish the event as it is.`,
      { cause: error },
    );
  }
  return value;
};

/** Checks an object field by field. Drops undefined fields, and refuses an object without one of the `required` fields. */
function record<T extends object>(checks: Checks<T>, required: readonly (keyof T & string)[] = []): Check<T> {
  const known = Object.keys(checks) as (keyof T & string)[];
  return (what, value) => {
    checkPlainObject(what, value);
    checkKnown(what, value, known);
    const copy: Partial<T> = {};
    for (const name of known) {
      const field = value[name];
      if (field !== undefined) copy[name] = checks[name](`${what}.${name}`, field);
      else if (required.includes(name)) throw new BadArgument(`${what}.${name} is missing.`);
    }
    return copy as T;
  };
}

/** The members of a union of strings. One that is left out does not compile. */
function membersOf<T extends string>(members: Readonly<Record<T, true>>): T[] {
  return Object.keys(members) as T[];
}

const GROUP_SORTS = membersOf<GroupSort>({
  groupId: true,
  depth: true,
  priority: true,
  oldest: true,
  expiry: true,
  lastClaimed: true,
});
const MESSAGE_SORTS = membersOf<MessageSort>({ seq: true, groupId: true, attempts: true, published: true });
const HEAD_STATES = membersOf<GroupRow['headState']>({
  ready: true,
  waiting: true,
  leased: true,
  lapsed: true,
  parked: true,
});

const seq = whole(1, Number.MAX_SAFE_INTEGER);
const paging = { offset: whole(0, Number.MAX_SAFE_INTEGER), limit: whole(1, MAX_PAGE_SIZE) };

const groupsQuery = record<GroupsQuery>({
  sort: oneOf(...GROUP_SORTS),
  descending: boolean,
  search: text(MAX_SEARCH),
  state: oneOf(...HEAD_STATES),
  minPriority: whole(0, HIGHEST_PRIORITY),
  routingKey: text(MAX_NAME),
  ...paging,
});

const messagesQuery = record<MessagesQuery>({
  sort: oneOf(...MESSAGE_SORTS),
  descending: boolean,
  search: text(MAX_SEARCH),
  groupId: text(MAX_NAME),
  state: oneOf<MessageState>(...HEAD_STATES, 'dead'),
  ...paging,
});

const fence = record<MessageFence>(
  {
    seq,
    lockedBy: orNull(text(MAX_NAME)),
    lockExpiry: orNull(finite),
    deliveries: whole(0, Number.MAX_SAFE_INTEGER),
    dead: boolean,
  },
  ['seq', 'lockedBy', 'lockExpiry', 'deliveries', 'dead'],
);

const operationChecks: { readonly [Kind in OperationKind]: Check<OperationOf<Kind>> } = {
  ack: record<OperationOf<'ack'>>({ kind: oneOf('ack'), fence }, ['fence']),
  nack: record<OperationOf<'nack'>>({ kind: oneOf('nack'), fence }, ['fence']),
  park: record<OperationOf<'park'>>({ kind: oneOf('park'), fence, delayMs: whole(1, MAX_DELAY_MS) }, [
    'fence',
    'delayMs',
  ]),
  republish: record<OperationOf<'republish'>>(
    {
      kind: oneOf('republish'),
      fence,
      eventJson: eventText,
      groupId: text(MAX_NAME),
      priority: whole(0, HIGHEST_PRIORITY),
      routingKey: orNull(text(MAX_NAME)),
    },
    ['fence'],
  ),
};

/** Every kind of operation. */
export const OPERATION_KINDS = Object.keys(operationChecks) as readonly OperationKind[];

export function checkedGroupsQuery(value: unknown): GroupsQuery {
  return groupsQuery('query', value ?? {});
}

export function checkedMessagesQuery(value: unknown): MessagesQuery {
  return messagesQuery('query', value ?? {});
}

export function checkedSeq(value: unknown): number {
  return seq('seq', value);
}

export function checkedOperation(value: unknown): Operation {
  checkPlainObject('operation', value);
  const { kind } = value;
  checkOneOf('operation.kind', kind, OPERATION_KINDS);
  return operationChecks[kind]('operation', value);
}
