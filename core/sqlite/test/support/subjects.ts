import Database from 'better-sqlite3';
import { AsyncSqliteTransport, SqliteTransport, type SqliteTransportOptions } from '../../../index.ts';
import type { ContractFactory, FakeClock } from '../../../testing/contract.ts';
import { setSharedClock, sharedClockMemory } from '../../async/shared-clock.ts';
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

/** The readings of a fake clock, kept where a transport's thread sees them. */
export function memoryOf(clock: FakeClock): SharedArrayBuffer {
  const memory = sharedClockMemory();
  clock.watch(() => setSharedClock(memory, clock.now(), clock.monotonic()));
  return memory;
}

export function asyncFactory(setting: Omit<Setting, 'connection'>): ContractFactory {
  return ({ clock, ...options }) => {
    const folder = new TempFolder();
    const file = folder.file();
    const threadFile = builtModule('sqlite/async/transport.thread');
    const transport = new AsyncSqliteTransport(
      { path: file, threadFile, ...setting, ...options },
      memoryOf(clock),
    );
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
