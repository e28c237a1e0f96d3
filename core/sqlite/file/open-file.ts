/** Opens a queue's file: checks that it may be one, sets the pragmas and reads them back, brings the schema up to date. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { LeaseholdError } from '../../contract/errors.ts';
import type { Names } from './names.ts';
import { columnsOf, SCHEMA_VERSION, schemaVersion, sqliteTransportUpgrade } from './schema.ts';
import { toLeaseholdError } from './sqlite-errors.ts';

/**
 * 'full': a commit is on the disk before the verb returns, and survives a power cut. 'normal': it survives a crash of
 * the process; a power cut may take back the last commits, never leave half of one.
 */
export type Durability = 'full' | 'normal';

export const DEFAULT_BUSY_TIMEOUT_MS = 5000;

export interface OpenSettings {
  readonly durability: Durability;
  readonly busyTimeoutMs: number;
  readonly createSchema: boolean;
  readonly readonly: boolean;
}

/**
 * The compiled better-sqlite3 addon to load instead of its own, for a runtime that its prebuilt binary does not fit:
 * the environment variable LEASEHOLD_SQLITE_BINDING, the absolute path of a `.node` file. Hand it to better-sqlite3's
 * `nativeBinding` for other databases of the same process. Undefined where the variable is not set.
 */
export function nativeBinding(): string | undefined {
  return process.env.LEASEHOLD_SQLITE_BINDING || undefined;
}

/** Opens `path`, made when it is missing unless it must exist; raises CANNOT_OPEN, NOT_A_QUEUE or READ_ONLY. */
export function openFile(
  path: string,
  {
    readonly = false,
    mustExist = readonly,
    busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS,
  }: { readonly?: boolean; mustExist?: boolean; busyTimeoutMs?: number } = {},
): Database.Database {
  refuseWhatIsNoFile(path, mustExist);
  const binding = nativeBinding();
  let db: Database.Database | undefined;
  try {
    db = new Database(path, {
      readonly,
      fileMustExist: mustExist,
      timeout: busyTimeoutMs,
      ...(binding ? { nativeBinding: binding } : {}),
    });
    if (!readonly) tune(db);
    return db;
  } catch (error) {
    db?.close();
    throw toLeaseholdError(error, path);
  }
}

/**
 * What a queue pays for is the pages of each commit, and the checkpoints that copy them home. Half of SQLite's usual page
 * (in a file that is made here; one that exists keeps its own) and a checkpoint after 8 MB instead of 4 drain a queue a
 * third faster.
 */
function tune(db: Database.Database): void {
  if (Number(db.pragma('page_count', { simple: true })) === 0) db.pragma('page_size = 2048');
  db.pragma('wal_autocheckpoint = 4000');
}

function refuseWhatIsNoFile(path: string, mustExist: boolean): void {
  if (path === ':memory:') return;
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory())
    throw new LeaseholdError(
      'CANNOT_OPEN',
      `${path}: its folder does not exist: create ${dirname(path)} first.`,
    );
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found && mustExist)
    throw new LeaseholdError(
      'CANNOT_OPEN',
      `${path}: no such file: open the queue for writing first, or name another.`,
    );
  if (found?.isDirectory())
    throw new LeaseholdError(
      'NOT_A_QUEUE',
      `${path}: is a folder: name a file inside it, as in ${path}/queue.db.`,
    );
}

/**
 * Makes an open connection ready for a queue. Looks before it touches: a file that is no database or comes from a
 * newer version is refused before any pragma or statement could change a byte of it.
 */
export function makeReady(db: Database.Database, names: Names, settings: OpenSettings): void {
  try {
    refuseNewer(db, names);
    const asItIs = settings.readonly || !settings.createSchema;
    if (asItIs) requireSchema(db, names, settings);
    setPragmas(db, settings);
    if (!asItIs) upgrade(db, names);
  } catch (error) {
    throw toLeaseholdError(error, db.name);
  }
}

function refuseNewer(db: Database.Database, names: Names): void {
  const version = schemaVersion(db, names);
  if (version > SCHEMA_VERSION)
    throw new LeaseholdError(
      'NEWER_FILE',
      `${db.name}: was written by a newer version (schema ${version}, this one knows ${SCHEMA_VERSION}): update Leasehold.`,
    );
}

function setPragmas(db: Database.Database, { durability, busyTimeoutMs, readonly }: OpenSettings): void {
  const level = durability === 'full' ? 2 : 1;
  db.pragma(`busy_timeout = ${busyTimeoutMs}`);
  // Inside the caller's transaction SQLite changes neither of these; reading back finds out.
  if (!readonly && !db.inTransaction) {
    switchToWal(db);
    db.pragma(`synchronous = ${level}`);
  }
  if (readonly) return;
  const journal = db.pragma('journal_mode', { simple: true });
  // A connection that reads integers as BigInt answers with one.
  const synchronous = Number(db.pragma('synchronous', { simple: true }));
  if (journal !== 'wal' && !db.memory)
    throw new LeaseholdError(
      'CANNOT_OPEN',
      `${db.name}: journal_mode is ${journal}, not WAL: is it on a network share?`,
    );
  if (synchronous !== level)
    throw new LeaseholdError(
      'CANNOT_OPEN',
      `${db.name}: synchronous is ${synchronous}, not ${level} (${durability}): open the transport outside a transaction.`,
    );
}

const WAL_TRIES = 10;

/**
 * SQLite does not wait for another writer when it leaves an older journal mode, so we wait for it with a statement that
 * does. Somebody may come in between, a few times.
 */
function switchToWal(db: Database.Database): void {
  for (let left = WAL_TRIES; ; left--) {
    try {
      db.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (left === 0 || (error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
      db.exec('BEGIN IMMEDIATE; ROLLBACK');
    }
  }
}

function requireSchema(db: Database.Database, names: Names, { readonly }: OpenSettings): void {
  if (schemaVersion(db, names) === SCHEMA_VERSION && columnsOf(db, names.groups).includes('blocked_until'))
    return;
  const remedy = readonly
    ? 'open it once for writing'
    : 'open it once with a transport that may create it, or run the statements of sqliteTransportUpgrade(database)';
  throw new LeaseholdError(
    'NOT_A_QUEUE',
    `${db.name}: its ${names.prefix} tables are missing or older than schema ${SCHEMA_VERSION}: ${remedy}.`,
  );
}

function upgrade(db: Database.Database, names: Names): void {
  if (sqliteTransportUpgrade(db, names.prefix).length === 0) return;
  const run = db.transaction(() => {
    // Asked again under the write lock: another process may have upgraded in between.
    for (const statement of sqliteTransportUpgrade(db, names.prefix)) db.exec(statement);
  });
  run.immediate();
}
