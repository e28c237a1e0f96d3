/** The public part of the worker. */
export type { BackoffOptions, BackoffRule } from './contract/backoff.ts';
export { Bury, Park, type ParkOptions } from './contract/outcome.ts';
export type * from './contract/worker-types.ts';
export { runWorker } from './run-worker.ts';
