/** holders: the workers that hold leases, and how many. */
import type { GroupPage, Holder, HoldersPage } from '../../contract/transport.ts';
import type { LockedPage } from './locked-messages.ts';

export function makeLeaseHolders(
  lockedMessages: (page: GroupPage) => LockedPage,
): (page: GroupPage) => HoldersPage {
  return (page) => {
    const { messages, next } = lockedMessages(page);
    const leases = new Map<string, number>();
    for (const { lockedBy } of messages) leases.set(lockedBy, (leases.get(lockedBy) ?? 0) + 1);
    const holders: Holder[] = [...leases].map(([workerId, count]) => ({ workerId, leases: count }));
    return { holders: holders.sort((a, b) => (a.workerId < b.workerId ? -1 : 1)), next };
  };
}
