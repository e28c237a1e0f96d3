/**
 * Checks of what an admin is asked, before anything is done with it: in openAdmin, and in the inspector for whatever
 * QueueAdmin it was given. The page is ours, but what runs in it may not be for ever: whatever arrives is copied field
 * by field into a fresh object of known names, kinds, ranges and lengths.
 */

import { LARGEST_PAGE } from '../admin/queries/page-filter.ts';
import type {
  Fence,
  GroupSort,
  GroupsQuery,
  MessageSort,
  MessageState,
  MessagesQuery,
  Operation,
  OperationKind,
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
 * JSON within the limit that a transport has when nothing else is said: a larger event, or one that no claim can read,
 * would only be found out once it is delivered.
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

/** Fields that are left out, or undefined, stay out; `required` ones must be there. */
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

const GROUP_SORTS = ['groupId', 'depth', 'priority', 'oldest', 'expiry', 'lastClaimed'] satisfies GroupSort[];
const MESSAGE_SORTS = ['seq', 'groupId', 'attempts', 'published'] satisfies MessageSort[];
const STATES = ['ready', 'waiting', 'leased', 'lapsed', 'parked'] as const satisfies MessageState[];
export const OPERATIONS = ['ack', 'nack', 'park', 'republish'] as const satisfies OperationKind[];

const seq = whole(1, Number.MAX_SAFE_INTEGER);
const paging = { offset: whole(0, Number.MAX_SAFE_INTEGER), limit: whole(1, LARGEST_PAGE) };

const groupsQuery = record<GroupsQuery>({
  sort: oneOf(...GROUP_SORTS),
  descending: boolean,
  search: text(MAX_SEARCH),
  state: oneOf(...STATES),
  minPriority: whole(0, HIGHEST_PRIORITY),
  routingKey: text(MAX_NAME),
  ...paging,
});

const messagesQuery = record<MessagesQuery>({
  sort: oneOf(...MESSAGE_SORTS),
  descending: boolean,
  search: text(MAX_SEARCH),
  groupId: text(MAX_NAME),
  state: oneOf(...STATES, 'dead'),
  ...paging,
});

const fence = record<Fence>(
  {
    seq,
    lockedBy: orNull(text(MAX_NAME)),
    lockExpiry: orNull(finite),
    deliveries: whole(0, Number.MAX_SAFE_INTEGER),
    dead: boolean,
  },
  ['seq', 'lockedBy', 'lockExpiry', 'deliveries', 'dead'],
);

type Of<Kind extends OperationKind> = Extract<Operation, { kind: Kind }>;

const operations: { readonly [Kind in OperationKind]: Check<Of<Kind>> } = {
  ack: record<Of<'ack'>>({ kind: oneOf('ack'), fence }, ['fence']),
  nack: record<Of<'nack'>>({ kind: oneOf('nack'), fence }, ['fence']),
  park: record<Of<'park'>>({ kind: oneOf('park'), fence, delayMs: whole(1, MAX_DELAY_MS) }, [
    'fence',
    'delayMs',
  ]),
  republish: record<Of<'republish'>>(
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
  checkOneOf('operation.kind', kind, OPERATIONS);
  return operations[kind]('operation', value);
}
