/** What the verbs of one queue share. */
import type { Database, Statement } from 'better-sqlite3';
import type { TransportEventName, TransportEvents } from '../../contract/transport.ts';
import type { EventCodec } from '../../validate/event-codec.ts';
import type { Names } from '../file/names.ts';
import type { IssuedLocks } from './issued-locks.ts';

/**
 * 'new-groups-first' is the specification's order: a group that was never claimed goes first. With 'longest-waiting-first' a
 * new group starts as if it had just been claimed, so short-lived groups cannot starve waiting ones.
 */
export type Fairness = 'new-groups-first' | 'longest-waiting-first';

export interface VerbContext {
  readonly db: Database;
  readonly names: Names;
  readonly fairness: Fairness;
  readonly issuedLocks: IssuedLocks;
  /** Read once for each transaction, so that all of its writes agree: epoch ms, and ms of the monotonic clock. */
  time: { readonly now: number; readonly monotonic: number };
  readonly decode: EventCodec['decode'];
  /**
   * Runs `effect` once the transaction has committed. It never runs after a rollback, nor in a caller's transaction, whose
   * outcome is unknown.
   */
  afterCommit(effect: () => void): void;
  /** Restores what another program's change of the schema removed; see schema-guard.ts. */
  checkSchema(): void;
  /** Emits the event once the transaction has committed. */
  emitAfterCommit<Name extends TransportEventName>(name: Name, detail: TransportEvents[Name]): void;
}

/**
 * Prepares a statement that returns integers as numbers, whatever the caller's connection is set to. A column that is read by its
 * name needs an AS: the pragma full_column_names changes the name of every other one.
 */
export function prepare({ db }: Pick<VerbContext, 'db'>, sql: string): Statement<unknown[], unknown> {
  const statement = db.prepare(sql);
  return statement.reader ? statement.safeIntegers(false) : statement;
}
