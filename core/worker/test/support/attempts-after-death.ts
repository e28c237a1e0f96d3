import type { SqliteTransport } from '../../../sqlite/sqlite-transport.ts';
import type { Event } from './controlled-handler.ts';

/** The attempt that each group's head would have next, after the process of every holder has died. */
export function attemptsAfterDeath(queue: SqliteTransport<Event>): Record<string, number> {
  queue.release(queue.holders().holders.map(({ workerId }) => workerId));
  const leases = queue.claimMany('reader', 1000, 100, { startNow: 0 });
  return Object.fromEntries(leases.map(({ groupId, attempt }) => [groupId, attempt]));
}
