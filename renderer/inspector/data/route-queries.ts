/** Translates a route into the query that the admin answers. */
import type { GroupSort, GroupsQuery, MessageSort, MessagesQuery } from '../../../core/contract/admin.ts';
import type { GroupsRoute, MessagesRoute, Sort } from './route.ts';

interface Order<Name> {
  readonly sort: Name;
  /** An age is sorted by its moment: the highest age is the earliest moment. */
  readonly isReversed?: boolean;
}

const GROUP_ORDERS: Record<string, Order<GroupSort>> = {
  group: { sort: 'groupId' },
  depth: { sort: 'depth' },
  priority: { sort: 'priority' },
  age: { sort: 'oldest', isReversed: true },
  expiry: { sort: 'expiry' },
  claimed: { sort: 'lastClaimed', isReversed: true },
};

const MESSAGE_ORDERS: Record<string, Order<MessageSort>> = {
  seq: { sort: 'seq' },
  group: { sort: 'groupId' },
  attempts: { sort: 'attempts' },
  age: { sort: 'published', isReversed: true },
};

function orderOf<Name>(orders: Record<string, Order<Name>>, { column, descending }: Sort) {
  const order = orders[column];
  return order && { sort: order.sort, descending: descending !== (order.isReversed ?? false) };
}

export function groupsQuery(route: GroupsRoute): GroupsQuery {
  return {
    ...orderOf(GROUP_ORDERS, route.sort),
    ...(route.search !== '' && { search: route.search }),
    ...(route.state !== null && { state: route.state }),
    ...(route.minPriority > 0 && { minPriority: route.minPriority }),
  };
}

export function messagesQuery(route: MessagesRoute): MessagesQuery {
  return {
    ...orderOf(MESSAGE_ORDERS, route.sort),
    ...(route.search !== '' && { search: route.search }),
    ...(route.state !== null && { state: route.state }),
    ...(route.group !== null && { groupId: route.group }),
  };
}
