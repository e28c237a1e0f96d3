/** Prepares an open connection for a queue: checks the file, sets the pragmas and reads them back, upgrades the schema. */
import type Database from 'better-sqlite3';
import { LeaseholdError } from '../../contract/errors.ts';
import { checkSchema } from './check-schema.ts';
import type { Names } from './names.ts';
import type { OpeningDeadline } from './opening-deadline.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { columnsOf, schemaVersion, sqliteTransportUpgrade } from './schema-upgrade.ts';
import { toLeaseholdError } from './sqlite-errors.ts';

/**
 * 'full': a commit is on the disk before the call returns, and survives a power cut. 'normal': a commit survives a crash of
 * the process; a power cut may undo everything since the last checkpoint, but never half of a commit.
 */
export type Durability = 'full' | 'normal';

export interface OpenSettings {
  readonly durability: Durability;
  readonly busyTimeoutMs: number;
  readonly createSchema: boolean;
  readonly readonly: boolean;
  readonly secureDelete: boolean;
}

/**
 * Raises NOT_A_QUEUE, NEWER_FILE, CANNOT_OPEN or READ_ONLY. Every check comes before the first write, so a file that is not
 * a database or comes from a newer version keeps every byte.
 */
export function prepareConnection(
  db: Database.Database,
  names: Names,
  settings: OpenSettings,
  deadline: OpeningDeadline,
): void {
  try {
    deadline.limitNext(db);
    // First of all: the checks that follow read the queue's tables.
    checkSchema(db, names);
    checkVersion(db, names);
    const keepsSchema = settings.readonly || !settings.createSchema;
    if (keepsSchema) requireSchema(db, names, settings);
    setPragmas(db, settings, deadline);
    deadline.limitNext(db);
    if (!keepsSchema) upgrade(db, names);
  } catch (error) {
    throw toLeaseholdError(error, db.name);
  }
}

function checkVersion(db: Database.Database, names: Names): void {
  const version = schemaVersion(db, names);
  if (version > SCHEMA_VERSION)
    throw new LeaseholdError(
      'NEWER_FILE',
      `${db.name} was written by a newer version of Leasehold (schema ${version}; this one knows ${SCHEMA_VERSION}). Update Leasehold.`,
    );
}

function setPragmas(
  db: Database.Database,
  { durability, readonly, secureDelete }: OpenSettings,
  deadline: OpeningDeadline,
): void {
  const level = durability === 'full' ? 2 : 1;
  // Inside a caller's transaction SQLite changes neither of these. Reading them back below detects that.
  if (!readonly && !db.inTransaction) {
    switchToWal(db, deadline);
    db.pragma(`synchronous = ${level}`);
  }
  if (readonly) return;
  // On macOS a plain fsync does not reach the disk. Elsewhere these have no effect.
  if (durability === 'full') db.pragma('fullfsync = ON');
  db.pragma('checkpoint_fullfsync = ON');
  if (secureDelete) db.pragma('secure_delete = ON');
  const journal = db.pragma('journal_mode', { simple: true });
  // A BigInt when the caller's connection reads integers as BigInt.
  const synchronous = Number(db.pragma('synchronous', { simple: true }));
  if (journal !== 'wal' && !db.memory)
    throw new LeaseholdError(
      'CANNOT_OPEN',
      `${db.name}: journal_mode is ${journal}, not WAL. Is the file on a network share?`,
    );
  if (synchronous !== level)
    throw new LeaseholdError(
      'CANNOT_OPEN',
      `${db.name}: synchronous is ${synchronous}, not ${level} (${durability}). Open the transport outside a transaction.`,
    );
}

const WAL_RETRY_MS = 5;

/**
 * SQLite does not wait for other connections when it leaves an older journal mode, so this waits for a writer with a
 * statement that does, and for a reader by trying again.
 */
function switchToWal(db: Database.Database, deadline: OpeningDeadline): void {
  for (;;) {
    try {
      db.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (deadline.leftMs === 0 || !isBusy(error)) throw error;
      deadline.limitNext(db);
      db.exec('BEGIN IMMEDIATE; ROLLBACK');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAL_RETRY_MS);
    }
  }
}

function isBusy(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
}

function requireSchema(db: Database.Database, names: Names, { readonly }: OpenSettings): void {
  if (schemaVersion(db, names) === SCHEMA_VERSION && columnsOf(db, names.groups).includes('blocked_until'))
    return;
  const remedy = readonly
    ? 'Open it once for writing'
    : 'Open it once with createSchema, or run the statements of sqliteTransportUpgrade(database)';
  throw new LeaseholdError(
    'NOT_A_QUEUE',
    `${db.name}: its ${names.prefix} tables are missing or older than schema ${SCHEMA_VERSION}. ${remedy}.`,
  );
}

function upgrade(db: Database.Database, names: Names): void {
  if (sqliteTransportUpgrade(db, names.prefix).length === 0) return;
  const run = db.transaction(() => {
    // Asked again under the write lock: another process may have upgraded the file in between.
    for (const statement of sqliteTransportUpgrade(db, names.prefix)) db.exec(statement);
  });
  run.immediate();
}
