/** Leasehold's public API. */

export { type AdminOptions, openAdmin } from './admin/open-admin.ts';
export type * from './contract/admin.ts';
export { type Clock, systemClock } from './contract/clock.ts';
export {
  BadArgument,
  Closed,
  type ErrorCode,
  LeaseholdError,
  LeaseLost,
} from './contract/errors.ts';
export type * from './contract/retention.ts';
export type * from './contract/transport.ts';
export { type OnThreadClose, serveThread } from './rpc/serve-thread.ts';
export { ThreadClient } from './rpc/thread-client.ts';
export type * from './rpc/thread-types.ts';
export { AsyncSqliteTransport, type AsyncSqliteTransportOptions } from './sqlite/async/async-transport.ts';
export { nativeBinding } from './sqlite/file/driver.ts';
export { DEFAULT_PREFIX } from './sqlite/file/names.ts';
export type { Durability } from './sqlite/file/prepare-connection.ts';
export { SCHEMA_VERSION, sqliteTransportSchema } from './sqlite/file/schema.ts';
export { sqliteTransportUpgrade } from './sqlite/file/schema-upgrade.ts';
export { SqliteTransport } from './sqlite/sqlite-transport.ts';
export type { SqliteTransportOptions } from './sqlite/transport-options.ts';
export type { Fairness } from './sqlite/verbs/verb-context.ts';
export type * from './worker/contract/worker-types.ts';
export {
  type BackoffOptions,
  type BackoffRule,
  Bury,
  Park,
  type ParkOptions,
  runWorker,
} from './worker/index.ts';
