import assert from 'node:assert/strict';
import Database from 'better-sqlite3';
import { type Lease, SqliteTransport, type SqliteTransportOptions } from '../../../index.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { assertSound } from './file-check.ts';
import { TempFolder } from './temp-folder.ts';

export interface SyncBench {
  readonly folder: TempFolder;
  readonly file: string;
  readonly clock: FakeClock;
  /** Opens a transport on the file, or on the `database` of the options. It is closed when the test ends. */
  open(options?: Partial<SqliteTransportOptions>): SqliteTransport;
  /** Opens a connection to the file. It is closed when the test ends. */
  connect(): Database.Database;
}

/** Runs `body` with a file, and closes what it opened. At the end the file must have no faults. */
export async function withFile(body: (bench: SyncBench) => void | Promise<void>): Promise<void> {
  using folder = new TempFolder();
  const clock = new FakeClock();
  const opened: { close(): unknown }[] = [];
  const open: SyncBench['open'] = (options = {}) => {
    const place = options.database ? {} : { path: folder.file() };
    const transport = new SqliteTransport({
      ...place,
      durability: 'normal',
      clock,
      ...options,
    } as SqliteTransportOptions);
    opened.push(transport);
    return transport;
  };
  const connect: SyncBench['connect'] = () => {
    const db = new Database(folder.file());
    opened.push(db);
    return db;
  };
  try {
    await body({ folder, file: folder.file(), clock, open, connect });
    if (opened.some((each) => each instanceof SqliteTransport)) assertSound(folder.file());
  } finally {
    for (const each of opened.reverse()) each.close();
  }
}

export function claim(queue: SqliteTransport, workerId = 'w', visibilityMs = 30_000): Lease {
  const lease = queue.claim(workerId, visibilityMs);
  assert.ok(lease, 'no message was deliverable');
  return lease;
}

/** Claims and acks all deliverable messages, and returns their events in order. */
export function drain(queue: SqliteTransport): unknown[] {
  const events: unknown[] = [];
  for (let lease = queue.claim('drain', 30_000); lease; lease = queue.ackAndClaim(lease, 30_000)) {
    events.push(lease.event);
  }
  return events;
}
