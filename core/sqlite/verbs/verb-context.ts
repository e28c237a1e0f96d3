/** What every verb of one queue shares: the connection, the names, the time of the operation, and what it will tell. */
import type { Database, Statement } from 'better-sqlite3';
import type { Lease, TransportEventName, TransportEvents } from '../../contract/transport.ts';
import type { EventCodec } from '../../validate/event-codec.ts';
import type { Names } from '../file/names.ts';
import type { IssuedLocks } from './issued-locks.ts';

/**
 * 'new-groups-first': the specification's order, a group that was never claimed goes first. 'longest-waiting-first': a
 * new group starts as if it had been served now, so that short-lived groups cannot starve the waiting ones.
 */
export type Fairness = 'new-groups-first' | 'longest-waiting-first';

export interface Queue {
  readonly db: Database;
  readonly names: Names;
  readonly fairness: Fairness;
  readonly own: IssuedLocks;
  /** Read once for each operation, so that all its writes agree: epoch ms, and ms of the monotonic clock. */
  time: { readonly now: number; readonly monotonic: number };
  readonly decode: EventCodec['decode'];
  /** Runs `effect` once the transaction has committed; never when it was rolled back, or when nobody can tell. */
  afterCommit(effect: () => void): void;
  /** Keeps the event until the transaction has committed. */
  tell<Name extends TransportEventName>(name: Name, detail: TransportEvents[Name]): void;
}

/** Prepares a statement whose integers come as numbers, whatever the caller's connection is set to. */
export function prepare(queue: Pick<Queue, 'db'>, sql: string): Statement<unknown[], unknown> {
  const statement = queue.db.prepare(sql);
  return statement.reader ? statement.safeIntegers(false) : statement;
}

/** The lease's fence: every settle names all four, in one statement. */
export const FENCE = 'seq = ? AND locked_by = ? AND lock_expiry = ? AND deliveries = ?';

export function fenceOf(queue: Queue, lease: Lease<unknown>): [number, string, number, number] {
  return [lease.seq, lease.workerId, queue.own.expiryInFile(lease), lease.delivery];
}
