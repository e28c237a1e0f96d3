/** From a place in the address to what the queue is asked. */
import type { GroupSort, GroupsQuery, MessageSort, MessagesQuery } from '../../../core/contract/admin.ts';
import type { GroupsRoute, MessagesRoute, Sort } from './route.ts';

interface Order<Name> {
  readonly sort: Name;
  /** An age grows as its moment goes back: the highest age is the lowest moment. */
  readonly opposite?: boolean;
}

const GROUP_ORDERS: Record<string, Order<GroupSort>> = {
  group: { sort: 'groupId' },
  depth: { sort: 'depth' },
  priority: { sort: 'priority' },
  age: { sort: 'oldest', opposite: true },
  expiry: { sort: 'expiry' },
  claimed: { sort: 'lastClaimed', opposite: true },
};

const MESSAGE_ORDERS: Record<string, Order<MessageSort>> = {
  seq: { sort: 'seq' },
  group: { sort: 'groupId' },
  attempts: { sort: 'attempts' },
  age: { sort: 'published', opposite: true },
};

function ordered<Name>(orders: Record<string, Order<Name>>, { column, descending }: Sort) {
  const order = orders[column];
  return order && { sort: order.sort, descending: descending !== (order.opposite ?? false) };
}

export function groupsQuery(route: GroupsRoute): GroupsQuery {
  return {
    ...ordered(GROUP_ORDERS, route.sort),
    ...(route.search !== '' && { search: route.search }),
    ...(route.state !== null && { state: route.state }),
    ...(route.minPriority > 0 && { minPriority: route.minPriority }),
  };
}

export function messagesQuery(route: MessagesRoute): MessagesQuery {
  return {
    ...ordered(MESSAGE_ORDERS, route.sort),
    ...(route.search !== '' && { search: route.search }),
    ...(route.state !== null && { state: route.state }),
    ...(route.group !== null && { groupId: route.group }),
  };
}
