/** Opens a connection to a queue's file. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { LeaseholdError } from '../../contract/errors.ts';
import { createFile, DEFAULT_FILE_MODE } from './create-file.ts';
import { bindingOptions } from './driver.ts';
import { identityOf, openFiles } from './open-descriptors.ts';
import { toLeaseholdError } from './sqlite-errors.ts';

export const DEFAULT_BUSY_TIMEOUT_MS = 5000;

export interface OpenFileOptions {
  readonly readonly?: boolean;
  readonly mustExist?: boolean;
  readonly busyTimeoutMs?: number;
  /** The permissions of a new file. */
  readonly fileMode?: number;
  /** Which file it must be (see identityOf): a path may lead to another one by now. */
  readonly identity?: string;
}

/**
 * Opens `path`, and creates the file when it is missing, unless it must exist. Raises CANNOT_OPEN, NOT_A_QUEUE,
 * READ_ONLY or FILE_REPLACED.
 */
export function openFile(
  path: string,
  {
    readonly = false,
    mustExist = readonly,
    busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS,
    fileMode = DEFAULT_FILE_MODE,
    identity,
  }: OpenFileOptions = {},
): Database.Database {
  let db: Database.Database | undefined;
  try {
    if (path !== ':memory:' && !isFile(path, mustExist)) createFile(path, fileMode);
    db = new Database(path, {
      readonly,
      fileMustExist: mustExist,
      timeout: busyTimeoutMs,
      ...bindingOptions(),
    });
    // Before the first read, which opens the log by its name: closing would then copy the log into this file.
    if (identity !== undefined && identityOf(path) !== identity)
      throw new LeaseholdError(
        'FILE_REPLACED',
        `${path} leads to another file by now. Open a new transport.`,
      );
    if (!db.memory) refuseLogOfFormerFile(db);
    distrust(db);
    if (!readonly) tune(db);
    return db;
  } catch (error) {
    db?.close();
    throw toLeaseholdError(error, path);
  }
}

/**
 * A transport of this process that still has the file open which was at this path before also has the log open that is there
 * now. (In another process it cannot be seen.)
 */
function refuseLogOfFormerFile(db: Database.Database): void {
  const [main] = db.pragma('database_list') as { file: string }[];
  const path = main?.file ?? '';
  const isFormers = () => {
    const open = openFiles();
    const index = identityOf(`${path}-shm`);
    // The file itself is open once by this connection.
    return open && index && open.has(index) && (open.get(identityOf(path) ?? '') ?? 0) < 2;
  };
  // Looked at twice, since another thread may just be closing its descriptors.
  if (!isFormers() || !isFormers()) return;
  throw new LeaseholdError(
    'FILE_REPLACED',
    `${path} was deleted or replaced while this process had it open, and its log is still there. Close every transport and connection that was opened on the former file, and then open this one.`,
  );
}

/**
 * A file can come from anybody: no function with a side effect runs from its schema, a page's cells are checked when it is
 * read, and no foreign key of another table acts on the queue's. The driver's defensive mode is on by itself.
 */
function distrust(db: Database.Database): void {
  db.pragma('trusted_schema = OFF');
  db.pragma('cell_size_check = ON');
  db.pragma('foreign_keys = OFF');
}

/**
 * The cost of a queue is the pages of its commits and the checkpoints that copy them into the file. Pages of half SQLite's
 * usual size (in a new file; an existing one keeps its own) and a checkpoint after 8 MB instead of 4 drain a queue a third
 * faster.
 */
function tune(db: Database.Database): void {
  if (Number(db.pragma('page_count', { simple: true })) === 0) db.pragma('page_size = 2048');
  db.pragma('wal_autocheckpoint = 4000');
}

/** Whether the file exists. Raises CANNOT_OPEN or NOT_A_QUEUE for a path that cannot be a queue's file. */
function isFile(path: string, mustExist: boolean): boolean {
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory())
    throw new LeaseholdError(
      'CANNOT_OPEN',
      `${path}: its folder does not exist. Create ${dirname(path)} first.`,
    );
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found && mustExist)
    throw new LeaseholdError(
      'CANNOT_OPEN',
      `${path}: there is no such file. Open the queue for writing first, or pass another path.`,
    );
  if (found?.isDirectory())
    throw new LeaseholdError(
      'NOT_A_QUEUE',
      `${path} is a folder. Pass a file inside it, as in ${path}/queue.db.`,
    );
  if (found && !found.isFile())
    throw new LeaseholdError(
      'NOT_A_QUEUE',
      `${path} is a device, a pipe or a socket. Pass the path of a file.`,
    );
  return found !== undefined;
}
