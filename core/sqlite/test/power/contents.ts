/** What is in a queue's file, read without any code of the transports. */
import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Files } from './disk.ts';

interface Message {
  readonly seq: number;
  readonly group_id: string;
  readonly locked_by: string | null;
  readonly lock_expiry: number | null;
  readonly deliveries: number;
}

interface Group {
  readonly rowid: number;
  readonly group_id: string;
  readonly last_claimed_at: number;
}

export interface Contents {
  /** Of every row of every table, and of the schema. */
  readonly hash: string;
  readonly messages: ReadonlyMap<number, Message>;
  readonly groups: readonly Group[];
  readonly dead: ReadonlySet<number>;
  /** The highest seq that was ever given. */
  readonly lastSeq: number;
}

/** What each file's name adds to the queue's path. */
export const SUFFIXES = { queue: '', wal: '-wal', journal: '-journal' } as const;

/** Lays these files into the folder in place of those of an earlier call. Returns the queue's path. */
export function layFiles(folder: string, files: Files): string {
  const path = join(folder, 'queue.db');
  for (const suffix of ['', '-wal', '-journal', '-shm']) rmSync(path + suffix, { force: true });
  for (const [name, bytes] of files) writeFileSync(path + SUFFIXES[name], bytes);
  return path;
}

export function readContents(db: Database.Database): Contents {
  const schema = db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').raw().all() as [
    type: string,
    name: string,
    sql: string | null,
  ][];
  const hash = createHash('sha1').update(JSON.stringify(schema));
  const tables = new Map<string, () => Record<string, unknown>[]>();
  for (const [type, name, sql] of schema) {
    if (type !== 'table') continue;
    const columns = /WITHOUT ROWID/i.test(sql ?? '') ? '*' : 'rowid, *';
    const statement = db.prepare(`SELECT ${columns} FROM "${name}"`).raw();
    const rows = statement.all() as unknown[][];
    hash.update(JSON.stringify(rows));
    const names = statement.columns().map((column) => column.name);
    tables.set(name, () =>
      rows.map((row) => Object.fromEntries(row.map((value, n) => [names[n] as string, value]))),
    );
  }
  const rowsOf = <T>(name: string) => (tables.get(name)?.() ?? []) as T[];
  return {
    hash: hash.digest('hex'),
    messages: new Map(rowsOf<Message>('harel_transport_messages').map((message) => [message.seq, message])),
    groups: rowsOf<Group>('harel_transport_groups'),
    dead: new Set(rowsOf<{ seq: number }>('harel_transport_dead_letters').map(({ seq }) => seq)),
    lastSeq:
      rowsOf<{ name: string; seq: number }>('sqlite_sequence').find(
        ({ name }) => name === 'harel_transport_messages',
      )?.seq ?? 0,
  };
}

/** The contents of these files, as a connection sees them that opens them in this folder. */
export function contentsOf(folder: string, files: Files): Contents {
  const db = new Database(layFiles(folder, files));
  try {
    return readContents(db);
  } finally {
    db.close();
  }
}

/**
 * The messages that the specification's next claims take at `now` (epoch seconds), without a floor or keys, one of each
 * deliverable group.
 */
export function claimsBySpecification({ groups, messages }: Contents, now: number): number[] {
  const heads = new Map<string, number>();
  const blocked = new Set<string>();
  for (const { seq, group_id, locked_by, lock_expiry } of messages.values()) {
    heads.set(group_id, Math.min(seq, heads.get(group_id) ?? seq));
    if (locked_by !== null && lock_expiry !== null && lock_expiry >= now) blocked.add(group_id);
  }
  return groups
    .filter(({ group_id }) => heads.has(group_id) && !blocked.has(group_id))
    .sort((a, b) => a.last_claimed_at - b.last_claimed_at || a.rowid - b.rowid)
    .map(({ group_id }) => heads.get(group_id) as number);
}
