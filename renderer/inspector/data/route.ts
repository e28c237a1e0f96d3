/**
 * What the page shows, as the fragment of the URL. It survives a reload, and people can copy it.
 *
 *     #/messages?state=parked&group=tenant-7&q=ETIMEDOUT&sort=age&dir=desc&seq=812
 *     #/messages?state=dead&seq=812&dead=3
 *
 * Unknown parts are ignored, not reported: a URL may come from another version.
 */
import type { GroupRow, MessageState } from '../../../core/contract/admin.ts';
import type { OpenMessage } from './open-message.ts';

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
  /** The message or dead letter whose detail is open. */
  readonly open: OpenMessage | null;
}

export type Route = GroupsRoute | MessagesRoute;

const GROUP_COLUMNS = ['group', 'depth', 'priority', 'age', 'expiry', 'claimed'];
const MESSAGE_COLUMNS = ['seq', 'group', 'attempts', 'age'];

/** By default the group with the oldest message is first. */
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
  open: null,
};

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  const params = new URLSearchParams(query);
  const search = params.get('q') ?? '';
  if (path !== '/messages') {
    return {
      page: 'groups',
      search,
      state: oneOf(GROUP_STATES, params.get('state')),
      minPriority: wholeNumber(params.get('priority'), 4) ?? 0,
      sort: parseSort(params, GROUP_COLUMNS, GROUPS_ROUTE.sort),
    };
  }
  return {
    page: 'messages',
    search,
    state: oneOf(MESSAGE_STATES, params.get('state')),
    group: params.get('group'),
    sort: parseSort(params, MESSAGE_COLUMNS, MESSAGES_ROUTE.sort),
    open: parseOpen(params),
  };
}

/** Omits what equals the default. */
export function formatRoute(route: Route): string {
  const params = new URLSearchParams();
  const defaults = route.page === 'groups' ? GROUPS_ROUTE : MESSAGES_ROUTE;
  if (route.page === 'messages' && route.group !== null) params.set('group', route.group);
  if (route.state !== null) params.set('state', route.state);
  if (route.page === 'groups' && route.minPriority > 0) params.set('priority', String(route.minPriority));
  if (route.search !== '') params.set('q', route.search);
  if (route.sort.column !== defaults.sort.column || route.sort.descending !== defaults.sort.descending) {
    params.set('sort', route.sort.column);
    params.set('dir', route.sort.descending ? 'desc' : 'asc');
  }
  if (route.page === 'messages' && route.open !== null) {
    params.set('seq', String(route.open.seq));
    if (route.open.deadId !== null) params.set('dead', String(route.open.deadId));
  }
  const query = params.toString();
  return `#/${route.page}${query === '' ? '' : `?${query}`}`;
}

export function isFiltered(route: Route): boolean {
  if (route.search !== '' || route.state !== null) return true;
  return route.page === 'groups' ? route.minPriority > 0 : route.group !== null;
}

/** The same page, order and open message without filters. */
export function withoutFilters(route: Route): Route {
  return route.page === 'groups'
    ? { ...route, search: '', state: null, minPriority: 0 }
    : { ...route, search: '', state: null, group: null };
}

function parseOpen(params: URLSearchParams): OpenMessage | null {
  const seq = wholeNumber(params.get('seq'), Number.MAX_SAFE_INTEGER);
  return seq === null ? null : { seq, deadId: wholeNumber(params.get('dead'), Number.MAX_SAFE_INTEGER) };
}

function parseSort(params: URLSearchParams, columns: readonly string[], defaultSort: Sort): Sort {
  const column = oneOf(columns, params.get('sort'));
  return column === null ? defaultSort : { column, descending: params.get('dir') === 'desc' };
}

function oneOf<Value extends string>(values: readonly Value[], text: string | null): Value | null {
  return values.find((value) => value === text) ?? null;
}

function wholeNumber(text: string | null, max: number): number | null {
  if (text === null || !/^\d{1,16}$/.test(text)) return null;
  const value = Number(text);
  return value <= max ? value : null;
}
