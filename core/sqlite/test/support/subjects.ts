import { type Serializable, setEnvironmentData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import {
  AsyncSqliteTransport,
  type AsyncSqliteTransportOptions,
  SqliteTransport,
  type SqliteTransportOptions,
} from '../../../index.ts';
import type { ContractFactory, FakeClock } from '../../../testing/contract/index.ts';
import { setSharedClock, sharedClockMemory } from '../../../testing/shared-clock.ts';
import { builtModule } from './built-core.ts';
import { SecondClient } from './second-client.ts';
import { TempFolder } from './temp-folder.ts';

/** What one run of the contract opens its transports with. */
export interface Setting extends Pick<SqliteTransportOptions, 'durability' | 'tablePrefix'> {
  /** Over a connection of the caller's instead of a path. */
  readonly connection?: boolean;
}

/** A message as another writer would put it, into whichever tables the queue has. */
function rawPut(file: string, tablePrefix = 'harel_transport') {
  return (groupId: string, text: string): void => {
    const other = new Database(file);
    new SecondClient(other, () => 0, tablePrefix).publishText(groupId, text);
    other.close();
  };
}

export function syncFactory({ connection = false, ...setting }: Setting): ContractFactory {
  return (options) => {
    const folder = new TempFolder();
    const file = folder.file();
    const given = connection ? new Database(file) : undefined;
    const transport = new SqliteTransport({
      ...(given ? { database: given } : { path: file }),
      ...setting,
      ...options,
    });
    return {
      transport,
      putRaw: rawPut(file, setting.tablePrefix),
      dispose() {
        transport.close();
        given?.close();
        folder[Symbol.dispose]();
      },
    };
  };
}

/** Opens a transport whose thread reads the time from `clock`. */
export function openAsync(
  options: Omit<AsyncSqliteTransportOptions, 'threadFile'>,
  clock: FakeClock,
): AsyncSqliteTransport {
  const memory = sharedClockMemory();
  clock.watch(() => setSharedClock(memory, clock.now(), clock.monotonic()));
  // A new thread takes the environment data of its moment with it; nothing of it passes through the public options.
  setEnvironmentData('clock', memory as unknown as Serializable);
  return new AsyncSqliteTransport({
    ...options,
    threadFile: builtModule('sqlite/test/support/clocked.thread'),
  });
}

export function asyncFactory(setting: Omit<Setting, 'connection'>): ContractFactory {
  return ({ clock, ...options }) => {
    const folder = new TempFolder();
    const file = folder.file();
    const transport = openAsync({ path: file, ...setting, ...options }, clock);
    return {
      transport,
      putRaw: async (...message) => {
        // The thread makes the tables; an answer says that it has.
        await transport.holders();
        rawPut(file, setting.tablePrefix)(...message);
      },
      async dispose() {
        await transport.close();
        folder[Symbol.dispose]();
      },
    };
  };
}
