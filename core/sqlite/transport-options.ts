/** The options of SqliteTransport: their types, their checks, their defaults. */
import type { Database } from 'better-sqlite3';
import { type Clock, systemClock } from '../contract/clock.ts';
import { BadArgument } from '../contract/errors.ts';
import type { Retention } from '../contract/retention.ts';
import type { EventSchema } from '../contract/transport.ts';
import {
  checkBoolean,
  checkClock,
  checkOneOf,
  checkText,
  checkWhole,
  type FieldChecks,
  readable,
  readFields,
  show,
  unchecked,
} from '../validate/checks.ts';
import { DEFAULT_MAX_EVENT_BYTES } from '../validate/event-codec.ts';
import { readRetention } from '../validate/retention-arguments.ts';
import type { EngineSettings } from './engine.ts';
import { absolutePath } from './file/absolute-path.ts';
import { DEFAULT_FILE_MODE } from './file/create-file.ts';
import { checkDriver } from './file/driver.ts';
import { namesFor } from './file/names.ts';
import { DEFAULT_BUSY_TIMEOUT_MS } from './file/open-file.ts';
import type { Durability } from './file/prepare-connection.ts';
import type { Fairness } from './verbs/verb-context.ts';

interface CommonOptions<E> {
  /**
   * Default 'full': a commit survives a power cut. With 'normal' it is faster and survives a crash of the process, but a power
   * cut can take everything since the last checkpoint, though never half a commit. (In 16,994 simulated power cuts it took up
   * to 1,342 operations; with 'full', none that was acknowledged in 28,515.) With both, a call that raises because the disk
   * could not store the commit may or may not have taken effect after a crash.
   */
  readonly durability?: Durability;
  /** Default 'new-groups-first', the specification's order. */
  readonly fairness?: Fairness;
  /**
   * How long a call waits for other connections' locks in all before it raises BUSY, in ms; default 5000. With 0 it does not
   * wait. A call of AsyncSqliteTransport waits from when it is made, also while the thread waits for calls before it or opens
   * the file. Every call is tried at least once.
   */
  readonly busyTimeoutMs?: number;
  /** False where a migration tool owns the schema (see sqliteTransportUpgrade): the file must then exist. Default true. */
  readonly createSchema?: boolean;
  /**
   * Every call that writes raises READ_ONLY, and the file must exist. Its folder must be writable nevertheless, for the index of
   * the log, unless another process has the file open. Default false.
   */
  readonly readonly?: boolean;
  /**
   * The permissions of the file that the transport creates, and of the log beside it, whatever the umask; default 0o600:
   * only the user of this process reads it. An existing file keeps its own. Windows has no such permissions.
   */
  readonly fileMode?: number;
  /**
   * Overwrites deleted content with zeros (PRAGMA secure_delete), so that an acked event cannot be read from the file any
   * more; a settle then writes more. The log keeps older content until it is overwritten or cut. Default false.
   */
  readonly secureDelete?: boolean;
  /**
   * The prefix of the queue's tables; default 'harel_transport', the specification's. Two prefixes in one file are two
   * queues.
   */
  readonly tablePrefix?: string;
  /**
   * Removes old dead letters and rows of the journal, once a minute, 100 at a time. Default: all are kept. See also `purge`.
   */
  readonly retention?: Retention;
  /** The size limit of an event, in bytes of its JSON in UTF-8; default 1 MiB. */
  readonly maxEventBytes?: number;
  /**
   * Checks events: a publish raises BAD_EVENT for one that does not fit, and a claim buries it. It must be synchronous.
   */
  readonly schema?: EventSchema<E>;
  /** Default: the system's clocks. */
  readonly clock?: Clock;
}

export type SqliteTransportOptions<E = unknown> = CommonOptions<E> &
  (
    | {
        /** The queue's file, which is created when missing (its folder is not). ':memory:' is a queue without a file. */
        readonly path: string;
        readonly database?: undefined;
      }
    | {
        /**
         * An open connection of Leasehold's copy of better-sqlite3. The transport sets journal_mode, synchronous, busy_timeout
         * and fullfsync according to the options, and leaves other settings as they are. Calls join a transaction that is open
         * on it. close() leaves it open.
         */
        readonly database: Database;
        readonly path?: undefined;
      }
  );

export interface Settings<E> extends EngineSettings {
  readonly maxEventBytes: number;
  readonly schema: EventSchema<E> | undefined;
  readonly retention: Retention | undefined;
}

/** SQLite's own limit for a text. */
const LARGEST_MAX_EVENT_BYTES = 1_000_000_000;

export const TRANSPORT_OPTIONS: FieldChecks<SqliteTransportOptions> = {
  // readPlace checks both.
  path: unchecked,
  database: unchecked,
  durability: (what, value) => checkOneOf(what, value, ['full', 'normal']),
  fairness: checkFairness,
  busyTimeoutMs: (what, value) => checkWhole(what, value, 0, 2 ** 31 - 1),
  createSchema: checkBoolean,
  readonly: checkBoolean,
  fileMode: checkFileMode,
  secureDelete: checkBoolean,
  // namesFor checks it.
  tablePrefix: unchecked,
  retention: readRetention,
  maxEventBytes: (what, value) => checkWhole(what, value, 1, LARGEST_MAX_EVENT_BYTES),
  schema: checkSchema,
  clock: checkClock,
};

export function readSettings<E>(options: SqliteTransportOptions<E>): Settings<E> {
  const given = readFields<SqliteTransportOptions<E>>(
    'options of SqliteTransport',
    options,
    TRANSPORT_OPTIONS,
  );
  const {
    tablePrefix,
    durability = 'full',
    fairness = 'new-groups-first',
    busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS,
    createSchema = true,
    readonly = false,
    fileMode = DEFAULT_FILE_MODE,
    secureDelete = false,
    maxEventBytes = DEFAULT_MAX_EVENT_BYTES,
    schema,
    retention,
    clock = systemClock,
  } = given;
  return {
    ...readPlace(given),
    names: namesFor(tablePrefix),
    durability,
    fairness,
    busyTimeoutMs,
    createSchema,
    readonly,
    fileMode,
    secureDelete,
    maxEventBytes,
    schema,
    retention,
    clock,
    repair: !readonly,
  };
}

export function checkFairness(what: string, value: unknown): asserts value is Fairness {
  checkOneOf<Fairness>(what, value, ['new-groups-first', 'longest-waiting-first']);
}

/** Without both permissions SQLite could not open the file itself. */
function checkFileMode(what: string, value: unknown): void {
  checkWhole(what, value, 0, 0o777);
  if (((value as number) & 0o600) !== 0o600)
    throw new BadArgument(
      `${what} 0o${(value as number).toString(8)} must let the owner read and write, as 0o600 does.`,
    );
}

function checkSchema(what: string, value: unknown): void {
  const schema = value as Partial<EventSchema<unknown>> | null;
  if (typeof schema?.['~standard']?.validate !== 'function')
    throw new BadArgument(
      `${what} ${show(value)} is not a Standard Schema. Pass a zod, valibot or arktype schema.`,
    );
}

/** better-sqlite3 trims a path, and so would open another file. For an empty path it opens a temporary database. */
export function checkPath(path: unknown): asserts path is string {
  checkText('path', path);
  if (path === '' || path !== path.trim())
    throw new BadArgument(`path ${show(path)} must be the path of a file, without spaces at either end.`);
}

/** SQLite could not open a copy of the name ":memory:" again: it opens an empty database in memory. */
export function checkTarget(path: unknown): asserts path is string {
  checkPath(path);
  if (path === ':memory:')
    throw new BadArgument(`path ${show(path)} is no file. Pass the path of a new file for the backup.`);
}

function readPlace({ path, database }: { path?: string | undefined; database?: Database | undefined }): {
  path: string;
  database: Database | undefined;
} {
  if ((path === undefined) === (database === undefined))
    throw new BadArgument('Pass SqliteTransport either a path or a database, as in {path: "queue.db"}.');
  if (database !== undefined) {
    const isOpen = readable('database', () => typeof database?.prepare === 'function' && database.open);
    if (!isOpen)
      throw new BadArgument(
        'database must be an open better-sqlite3 connection. Open it before the transport and close it afterwards.',
      );
    checkDriver(database);
    return { path: database.name, database };
  }
  checkPath(path);
  return { path: absolutePath(path), database: undefined };
}
