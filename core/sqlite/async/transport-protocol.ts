/** What AsyncSqliteTransport and its thread agree on. */
import type { TransportCalls } from '../transport-calls.ts';
import type { SqliteTransportOptions } from '../transport-options.ts';

/** The methods of the thread. In their arguments and results an event is JSON text. */
export type ThreadMethod = keyof TransportCalls;

/** The thread's workerData. */
export type ThreadOptions = Omit<SqliteTransportOptions & { path: string }, 'schema' | 'clock' | 'database'>;
