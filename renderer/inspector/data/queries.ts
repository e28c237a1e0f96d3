/** From a place in the address to what the queue is asked. */
import type { GroupSort, GroupsQuery, MessageSort, MessagesQuery } from '../../../core/contract/admin.ts';
import type { GroupsPlace, MessagesPlace, Sort } from './route.ts';

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

export function groupsQuery(place: GroupsPlace): GroupsQuery {
  return {
    ...ordered(GROUP_ORDERS, place.sort),
    ...(place.search !== '' && { search: place.search }),
    ...(place.state !== null && { state: place.state }),
    ...(place.minPriority > 0 && { minPriority: place.minPriority }),
  };
}

export function messagesQuery(place: MessagesPlace): MessagesQuery {
  return {
    ...ordered(MESSAGE_ORDERS, place.sort),
    ...(place.search !== '' && { search: place.search }),
    ...(place.state !== null && { state: place.state }),
    ...(place.group !== null && { groupId: place.group }),
  };
}
