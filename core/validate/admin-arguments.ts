/**
 * Checks the arguments of a QueueAdmin's calls. openAdmin checks what its caller passes, and the inspector's IPC handlers
 * check what the page sends: a compromised page can send anything. The checked arguments come back as a new object that has
 * only known fields, without those that are undefined.
 */
import type {
  GroupRow,
  GroupSort,
  GroupsQuery,
  MessageFence,
  MessageKey,
  MessageSort,
  MessageState,
  MessagesQuery,
  Operation,
  OperationKind,
  OperationOf,
} from '../contract/admin.ts';
import { BadArgument, LeaseholdError } from '../contract/errors.ts';
import {
  type Check,
  checkBoolean,
  checkNumber,
  checkOneOf,
  checkPlainObject,
  checkText,
  checkWhole,
  type FieldChecks,
  membersOf,
  readable,
  readFields,
  show,
  unchecked,
} from './checks.ts';
import { DEFAULT_MAX_EVENT_BYTES } from './event-codec.ts';
import { checkPriority, checkSeq } from './transport-arguments.ts';

const MAX_PAGE_SIZE = 1_000;
const MAX_SEARCH_LENGTH = 1_000;
const MAX_NAME_LENGTH = 10_000;
const MAX_DELAY_MS = 366 * 24 * 3_600_000;

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

const checkShortText = (what: string, value: unknown, longest: number) => {
  checkText(what, value);
  if (value.length > longest)
    throw new BadArgument(`${what} has ${value.length} characters. The limit is ${longest}.`);
};

const checkSearch: Check = (what, value) => checkShortText(what, value, MAX_SEARCH_LENGTH);
const checkName: Check = (what, value) => checkShortText(what, value, MAX_NAME_LENGTH);
const checkNameOrNull: Check = (what, value) => {
  if (value !== null) checkName(what, value);
};
const checkCount: Check = (what, value) => checkWhole(what, value, 0, Number.MAX_SAFE_INTEGER);

/**
 * JSON within a transport's default size limit. Without this check a claim would be the first to find that the event is
 * not JSON, and would bury it.
 */
const checkEventJson: Check = (what, value) => {
  checkText(what, value);
  const bytes = Buffer.byteLength(value);
  if (bytes > DEFAULT_MAX_EVENT_BYTES)
    throw new LeaseholdError(
      'EVENT_TOO_LARGE',
      `${what} has ${bytes} bytes, more than the limit of ${DEFAULT_MAX_EVENT_BYTES}. Shorten it, or leave it out to keep the event.`,
    );
  try {
    JSON.parse(value);
  } catch (error) {
    throw new LeaseholdError(
      'BAD_EVENT',
      `${what} ${show(value)} is not JSON (${(error as Error).message}). Correct it, or leave it out to keep the event.`,
      { cause: error },
    );
  }
};

const WINDOW: FieldChecks<Pick<GroupsQuery, 'offset' | 'limit'>> = {
  offset: checkCount,
  limit: (what, value) => checkWhole(what, value, 1, MAX_PAGE_SIZE),
};

const GROUPS_QUERY: FieldChecks<GroupsQuery> = {
  sort: (what, value) => checkOneOf(what, value, GROUP_SORTS),
  descending: checkBoolean,
  search: checkSearch,
  state: (what, value) => checkOneOf(what, value, HEAD_STATES),
  minPriority: checkPriority,
  routingKey: checkName,
  ...WINDOW,
};

const MESSAGES_QUERY: FieldChecks<MessagesQuery> = {
  sort: (what, value) => checkOneOf(what, value, MESSAGE_SORTS),
  descending: checkBoolean,
  search: checkSearch,
  groupId: checkName,
  state: (what, value) => checkOneOf<MessageState>(what, value, [...HEAD_STATES, 'dead']),
  ...WINDOW,
};

/** Another program can write a seq below 1, which a claim serves as any other. */
const checkMessageSeq: Check = (what, value) =>
  checkWhole(what, value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);

const FENCE: FieldChecks<MessageFence> = {
  // checkFence checks it.
  seq: unchecked,
  lockedBy: checkNameOrNull,
  fence: checkCount,
  deadId: (what, value) => {
    if (value !== null) checkSeq(what, value);
  },
};

const checkFence: Check = (what, value) => {
  const fence = readFields(what, value, FENCE, {
    prefix: `${what}.`,
    required: ['seq', 'lockedBy', 'fence', 'deadId'],
  });
  // A dead letter's seq is information only. It may be the very one for which the message was buried, beyond 2^53.
  if (fence.deadId === null) checkMessageSeq(`${what}.seq`, fence.seq);
  else checkNumber(`${what}.seq`, fence.seq, -Infinity);
  return fence;
};

/** The kind is checked first, because it selects the entry. */
const COMMON = { kind: unchecked, fence: checkFence };

interface OperationCheck<Kind extends OperationKind> {
  readonly checks: FieldChecks<OperationOf<Kind>>;
  readonly required: readonly (keyof OperationOf<Kind> & string)[];
}

const operationChecks: { readonly [Kind in OperationKind]: OperationCheck<Kind> } = {
  ack: { checks: COMMON, required: ['fence'] },
  nack: { checks: COMMON, required: ['fence'] },
  park: {
    checks: { ...COMMON, delayMs: (what, value) => checkWhole(what, value, 1, MAX_DELAY_MS) },
    required: ['fence', 'delayMs'],
  },
  republish: {
    checks: {
      ...COMMON,
      eventJson: checkEventJson,
      groupId: checkName,
      priority: checkPriority,
      routingKey: checkNameOrNull,
    },
    required: ['fence'],
  },
};

/** Every kind of operation. */
export const OPERATION_KINDS = Object.keys(operationChecks) as readonly OperationKind[];

export function checkedGroupsQuery(value: unknown): GroupsQuery {
  return checkedQuery(value ?? {}, GROUPS_QUERY);
}

export function checkedMessagesQuery(value: unknown): MessagesQuery {
  return checkedQuery(value ?? {}, MESSAGES_QUERY);
}

export function checkedMessageKey(value: unknown): MessageKey {
  if (typeof value !== 'object' || value === null) {
    checkMessageSeq('seq', value);
    return value as number;
  }
  return readFields<Exclude<MessageKey, number>>(
    'key',
    value,
    { deadId: checkSeq },
    { prefix: 'key.', required: ['deadId'] },
  );
}

export function checkedOperation(value: unknown): Operation {
  checkPlainObject('operation', value);
  const kind = readable('operation', () => value.kind);
  checkOneOf('operation.kind', kind, OPERATION_KINDS);
  return { ...checkedFields(value, kind), kind } as Operation;
}

function checkedFields<Kind extends OperationKind>(value: object, kind: Kind): OperationOf<Kind> {
  const { checks, required } = operationChecks[kind];
  return readFields<OperationOf<Kind>>('operation', value, checks, { prefix: 'operation.', required });
}

function checkedQuery<T extends object>(value: unknown, checks: FieldChecks<T>): T {
  return readFields<T>('query', value, checks, { prefix: 'query.' });
}
