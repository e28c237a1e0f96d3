import Database from 'better-sqlite3';
import { SqliteTransport, type SqliteTransportOptions } from '../../index.ts';
import type { ContractFactory } from '../../testing/contract.ts';
import { SecondClient } from './second-client.ts';
import { TempFolder } from './temp-folder.ts';

/** What one run of the contract opens its transports with. */
export type Setting = Pick<SqliteTransportOptions, 'durability' | 'tablePrefix'> & { connection?: boolean };

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
