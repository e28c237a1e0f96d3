/** What AsyncSqliteTransport and its thread agree on, beyond the common protocol of threads. */
import type { TransportCalls } from '../transport-calls.ts';
import type { SqliteTransportOptions } from '../transport-options.ts';

/** The verbs that the thread runs; events in their arguments and results are JSON text. */
export type ThreadVerb = keyof TransportCalls;

/** The thread's workerData. */
export type ThreadStart = Omit<SqliteTransportOptions & { path: string }, 'schema' | 'clock' | 'database'>;
