/** What crosses between AsyncSqliteTransport and its thread: plain data, many calls and many answers a message. */
import type { ErrorData } from '../errors.ts';
import type { TransportEventName, TransportEvents } from '../transport.ts';
import type { SqliteTransportOptions } from './options.ts';

/** The verbs that the thread runs; `events` in their arguments and results are JSON text. */
export type ThreadVerb =
  | 'publishMany'
  | 'claimMany'
  | 'ack'
  | 'nack'
  | 'extend'
  | 'bury'
  | 'ackAndClaim'
  | 'ackAndClaimMany'
  | 'deadLetters'
  | 'republish'
  | 'nextExpiry'
  | 'holders'
  | 'release'
  | 'dataVersion';

export interface ThreadCall {
  readonly id: number;
  readonly verb: ThreadVerb;
  readonly args: readonly unknown[];
}

/** To the thread: calls in the order they were made, or a wish: tell of an event from now on; close. */
export type ToThread =
  | { readonly calls: readonly ThreadCall[] }
  | { readonly listen: TransportEventName }
  | { readonly close: true };

export type ThreadAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorData };

export interface ToldEvent {
  readonly name: TransportEventName;
  readonly detail: TransportEvents[TransportEventName];
}

/** From the thread: that it is open or why it cannot be, or what one commit made true. */
export type FromThread =
  | { readonly opened: true }
  | { readonly failed: ErrorData }
  | { readonly answers: readonly ThreadAnswer[]; readonly events: readonly ToldEvent[] };

/** What the thread is started with. */
export interface ThreadStart {
  readonly options: Omit<SqliteTransportOptions & { path: string }, 'schema' | 'clock' | 'database'>;
  /** For tests: see shared-clock.ts. */
  readonly clock?: SharedArrayBuffer | undefined;
}
