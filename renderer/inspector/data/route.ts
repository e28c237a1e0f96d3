/**
 * What the page shows, as the part of the address after `#`: it survives a reload and an operation, and can be copied.
 *
 *     #/messages?state=parked&group=tenant-7&q=ETIMEDOUT&sort=age&dir=desc&seq=812
 *
 * Anything unknown in it is passed over, never an error: an address may come from another version.
 */
import type { GroupRow, MessageState } from '../../../core/contract/admin.ts';

export type PageName = 'groups' | 'messages';

export const MESSAGE_STATES = ['ready', 'waiting', 'leased', 'parked', 'lapsed', 'dead'] as const;
export const GROUP_STATES = ['ready', 'waiting', 'leased', 'parked', 'lapsed'] as const;

export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

export interface GroupsRoute {
  readonly page: 'groups';
  readonly search: string;
  readonly state: GroupRow['headState'] | null;
  readonly minPriority: number;
  readonly sort: Sort;
}

export interface MessagesRoute {
  readonly page: 'messages';
  readonly search: string;
  readonly state: MessageState | null;
  readonly group: string | null;
  readonly sort: Sort;
  /** The message shown at the side. */
  readonly seq: number | null;
}

export type Route = GroupsRoute | MessagesRoute;

const GROUP_COLUMNS = ['group', 'depth', 'priority', 'age', 'expiry', 'claimed'];
const MESSAGE_COLUMNS = ['seq', 'group', 'attempts', 'age'];

/** Oldest first: age comes before depth. */
export const GROUPS_ROUTE: GroupsRoute = {
  page: 'groups',
  search: '',
  state: null,
  minPriority: 0,
  sort: { column: 'age', descending: true },
};

export const MESSAGES_ROUTE: MessagesRoute = {
  page: 'messages',
  search: '',
  state: null,
  group: null,
  sort: { column: 'seq', descending: false },
  seq: null,
};

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  const given = new URLSearchParams(query);
  const search = given.get('q') ?? '';
  if (path !== '/messages') {
    return {
      page: 'groups',
      search,
      state: oneOf(GROUP_STATES, given.get('state')),
      minPriority: wholeNumber(given.get('priority'), 4) ?? 0,
      sort: parseSort(given, GROUP_COLUMNS, GROUPS_ROUTE.sort),
    };
  }
  return {
    page: 'messages',
    search,
    state: oneOf(MESSAGE_STATES, given.get('state')),
    group: given.get('group'),
    sort: parseSort(given, MESSAGE_COLUMNS, MESSAGES_ROUTE.sort),
    seq: wholeNumber(given.get('seq'), Number.MAX_SAFE_INTEGER),
  };
}

/** Only what differs from the default is written. */
export function formatRoute(route: Route): string {
  const out = new URLSearchParams();
  const usual = route.page === 'groups' ? GROUPS_ROUTE : MESSAGES_ROUTE;
  if (route.page === 'messages' && route.group !== null) out.set('group', route.group);
  if (route.state !== null) out.set('state', route.state);
  if (route.page === 'groups' && route.minPriority > 0) out.set('priority', String(route.minPriority));
  if (route.search !== '') out.set('q', route.search);
  if (route.sort.column !== usual.sort.column || route.sort.descending !== usual.sort.descending) {
    out.set('sort', route.sort.column);
    out.set('dir', route.sort.descending ? 'desc' : 'asc');
  }
  if (route.page === 'messages' && route.seq !== null) out.set('seq', String(route.seq));
  const query = out.toString();
  return `#/${route.page}${query === '' ? '' : `?${query}`}`;
}

export function isFiltered(route: Route): boolean {
  if (route.search !== '' || route.state !== null) return true;
  return route.page === 'groups' ? route.minPriority > 0 : route.group !== null;
}

/** The same page and order without its filters. */
export function withoutFilters(route: Route): Route {
  return route.page === 'groups'
    ? { ...route, search: '', state: null, minPriority: 0 }
    : { ...route, search: '', state: null, group: null };
}

function parseSort(given: URLSearchParams, columns: readonly string[], usual: Sort): Sort {
  const column = oneOf(columns, given.get('sort'));
  return column === null ? usual : { column, descending: given.get('dir') === 'desc' };
}

function oneOf<Value extends string>(values: readonly Value[], given: string | null): Value | null {
  return values.find((value) => value === given) ?? null;
}

function wholeNumber(given: string | null, most: number): number | null {
  if (given === null || !/^\d{1,16}$/.test(given)) return null;
  const value = Number(given);
  return value <= most ? value : null;
}
