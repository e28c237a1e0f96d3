/** The worker's public face. */
export type { BackoffOptions, BackoffRule } from '../backoff.ts';
export { Bury, Park, type ParkOptions } from './outcome.ts';
export { runWorker } from './run-worker.ts';
export type * from './types.ts';
