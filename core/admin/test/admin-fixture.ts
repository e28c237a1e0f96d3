/** A queue, its admin, and two more connections to the same file. */
import assert from 'node:assert/strict';
import Database from 'better-sqlite3';
import type { MessageFence, QueueAdmin } from '../../contract/admin.ts';
import { type AdminOptions, openAdmin, SqliteTransport } from '../../index.ts';
import { TempFolder } from '../../sqlite/test/support/temp-folder.ts';

export const HOUR_MS = 3_600_000;

export interface AdminFixture {
  readonly file: string;
  readonly queue: SqliteTransport;
  readonly admin: QueueAdmin;
  /** Reads the file without any of our code. */
  sql(query: string, ...values: unknown[]): Record<string, unknown>[];
  /** Writes to the file as another program would. */
  edit(statements: string): void;
}

/** Where an admin can run: for tests of what must be the same in both. */
export const PLACES = {
  'a thread': {},
  'a process': { untrusted: true },
} as const satisfies Record<string, Partial<AdminOptions>>;

export async function withAdmin(
  body: (fixture: AdminFixture) => Promise<void>,
  options: Partial<AdminOptions> = {},
): Promise<void> {
  using folder = new TempFolder();
  const file = folder.file();
  const queue = new SqliteTransport({ path: file, durability: 'normal' });
  const admin = openAdmin({ path: file, operator: 'ada', ...options });
  const reader = new Database(file, { readonly: true });
  const edit = (statements: string) => {
    const writer = new Database(file);
    writer.exec(statements);
    writer.close();
  };
  try {
    await body({
      file,
      queue,
      admin,
      edit,
      sql: (query, ...values) => reader.prepare(query).all(...values) as Record<string, unknown>[],
    });
  } finally {
    reader.close();
    await admin.close();
    queue.close();
  }
}

/** Publishes six messages: seq 1 is leased, 2 parked, 3 lapsed, 4 dead, 5 ready, and 6 waits behind seq 1. */
export function publishEachState({ queue, edit }: Pick<AdminFixture, 'queue' | 'edit'>): void {
  for (const group of ['leased', 'parked', 'lapsed', 'dead', 'ready', 'leased'])
    queue.publish(group, { in: group }, { priority: 2 });
  const claim = (visibilityMs: number) => {
    const lease = queue.claim('worker', visibilityMs);
    assert.ok(lease);
    return lease;
  };
  claim(HOUR_MS);
  queue.nack(claim(HOUR_MS), HOUR_MS, { error: 'ETIMEDOUT: no answer\n    at upload' });
  const { seq } = claim(HOUR_MS);
  edit(`UPDATE harel_transport_messages SET lock_expiry = 1e9 WHERE seq = ${seq}`);
  queue.bury(claim(HOUR_MS), { error: 'no such file' });
}

export async function fenceOf(admin: QueueAdmin, seq: number): Promise<MessageFence> {
  const detail = await admin.message(seq);
  assert.ok(detail, `message ${seq} should exist`);
  return detail.fence;
}
