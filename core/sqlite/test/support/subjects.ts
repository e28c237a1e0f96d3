/** The transports that the contract suite and the model run against. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { bundledThread } from './bundled-thread.ts';
import { SecondClient } from './second-client.ts';
import { TempFolder } from './temp-folder.ts';

/** What one run of the contract opens its transports with. */
export interface Setting extends Pick<SqliteTransportOptions, 'durability' | 'tablePrefix'> {
  /** Pass an open connection instead of a path. */
  readonly connection?: boolean;
}

/** Publishes as another program does, into the tables of the queue. */
function rawPut(file: string, tablePrefix = 'harel_transport') {
  return (groupId: string, text: string): void => {
    const other = new Database(file);
    new SecondClient(other, () => 0, tablePrefix).publishText(groupId, text);
    other.close();
  };
}

function openSync(
  file: string,
  { connection = false, ...setting }: Setting,
  options: Omit<SqliteTransportOptions, 'path' | 'database'>,
) {
  const given = connection ? new Database(file) : undefined;
  const transport = new SqliteTransport({
    ...(given ? { database: given } : { path: file }),
    ...setting,
    ...options,
  });
  const close = () => {
    transport.close();
    given?.close();
  };
  return { transport, close };
}

/**
 * Returns a function that puts a new, empty queue into a file. The queue is made once and then copied: to make the tables
 * waits several times for the disk, which takes longer than most tests.
 */
function makeQueues(setting: Setting): (file: string) => void {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-test-queue-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const empty = join(folder, 'empty.db');
  openSync(empty, setting, {}).close();
  return (file) => copyFileSync(empty, file);
}

export function syncFactory(setting: Setting): ContractFactory {
  const putQueue = makeQueues(setting);
  return (options) => {
    const folder = new TempFolder();
    const file = folder.file();
    putQueue(file);
    const { transport, close } = openSync(file, setting, options);
    return {
      transport,
      putRaw: rawPut(file, setting.tablePrefix),
      dispose() {
        close();
        folder[Symbol.dispose]();
      },
    };
  };
}

/** Opens a transport whose thread reads the time from `clock`. */
export async function openAsync(
  options: Omit<AsyncSqliteTransportOptions, 'threadFile'>,
  clock: FakeClock,
): Promise<AsyncSqliteTransport> {
  const threadFile = await bundledThread();
  const memory = sharedClockMemory();
  clock.watch(() => setSharedClock(memory, clock.now(), clock.monotonic()));
  // A new thread copies the environment data of this moment, so the clock needs no option of the transport.
  setEnvironmentData('clock', memory as unknown as Serializable);
  return new AsyncSqliteTransport({ ...options, threadFile });
}

export function asyncFactory(setting: Omit<Setting, 'connection'>): ContractFactory {
  const putQueue = makeQueues(setting);
  return async ({ clock, ...options }) => {
    const folder = new TempFolder();
    const file = folder.file();
    putQueue(file);
    const transport = await openAsync({ path: file, ...setting, ...options }, clock);
    return {
      transport,
      putRaw: async (...message) => {
        // An answer shows that the thread has opened the file.
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
