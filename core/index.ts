/** Leasehold's public face. */
export type * from './admin/contract.ts';
export { type AdminOptions, openAdmin } from './admin/open.ts';
export { type Clock, systemClock } from './clock.ts';
export {
  BadArgument,
  type ErrorCode,
  LeaseholdError,
  LeaseLost,
  TransportClosed,
} from './errors.ts';
export { AsyncSqliteTransport, type AsyncSqliteTransportOptions } from './sqlite/async-transport.ts';
export { DEFAULT_PREFIX } from './sqlite/names.ts';
export { type Durability, nativeBinding } from './sqlite/open.ts';
export type { SqliteTransportOptions } from './sqlite/options.ts';
export type { Fairness } from './sqlite/queue.ts';
export { SCHEMA_VERSION, sqliteTransportSchema, sqliteTransportUpgrade } from './sqlite/schema.ts';
export { SqliteTransport } from './sqlite/transport.ts';
export type * from './transport.ts';
export {
  type BackoffOptions,
  type BackoffRule,
  Bury,
  Park,
  type ParkOptions,
  runWorker,
} from './worker/index.ts';
export type * from './worker/types.ts';
