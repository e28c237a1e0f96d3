/** The options of SqliteTransport, checked and with their defaults filled in. */
import type { Database } from 'better-sqlite3';
import { type Clock, systemClock } from '../contract/clock.ts';
import { BadArgument } from '../contract/errors.ts';
import type { EventSchema } from '../contract/transport.ts';
import {
  checkBoolean,
  checkKnown,
  checkOneOf,
  checkPlainObject,
  checkText,
  checkWhole,
  show,
} from '../validate/checks.ts';
import { DEFAULT_MAX_EVENT_BYTES } from '../validate/event-codec.ts';
import type { EngineSettings } from './engine.ts';
import { namesFor } from './file/names.ts';
import { DEFAULT_BUSY_TIMEOUT_MS, type Durability } from './file/open-file.ts';
import type { Fairness } from './verbs/verb-context.ts';

interface CommonOptions<Event> {
  /** Default 'full': a commit survives a power cut. 'normal' survives a crash of the process, and is faster. */
  readonly durability?: Durability;
  /** Default 'new-groups-first', the specification's order. */
  readonly fairness?: Fairness;
  /** How long a verb waits for another connection's write lock before it raises BUSY; default 5000, 0 = not at all. */
  readonly busyTimeoutMs?: number;
  /** False where a migration tool owns the schema (see sqliteTransportUpgrade); default true. */
  readonly createSchema?: boolean;
  /** Look, never write: every changing verb raises READ_ONLY; default false. */
  readonly readonly?: boolean;
  /** Two prefixes in one file are two queues; default 'harel_transport', the specification's. */
  readonly tablePrefix?: string;
  /** The largest event, in bytes of its JSON in UTF-8; default 1 MiB. */
  readonly maxEventBytes?: number;
  /** Checks events on publish (BAD_EVENT) and on claim (what does not fit is buried). It must answer at once. */
  readonly schema?: EventSchema<Event>;
  /** Default: the system's. */
  readonly clock?: Clock;
}

export type SqliteTransportOptions<Event = unknown> = CommonOptions<Event> &
  (
    | {
        /** The queue's file, made when missing (its folder is not); ':memory:' for one that dies with the process. */
        readonly path: string;
        readonly database?: undefined;
      }
    | {
        /**
         * An open better-sqlite3 connection. It gets the pragmas of the options; verbs join a transaction that is open
         * on it; close() leaves it open.
         */
        readonly database: Database;
        readonly path?: undefined;
      }
  );

export interface Settings<Event> extends EngineSettings {
  readonly maxEventBytes: number;
  readonly schema: EventSchema<Event> | undefined;
}

export const KNOWN_OPTIONS = [
  'path',
  'database',
  'durability',
  'fairness',
  'busyTimeoutMs',
  'createSchema',
  'readonly',
  'tablePrefix',
  'maxEventBytes',
  'schema',
  'clock',
];

/** SQLite's own limit for a text, so that no larger one can be asked for. */
const MOST_EVENT_BYTES = 1_000_000_000;

export function readSettings<Event>(options: SqliteTransportOptions<Event>): Settings<Event> {
  checkPlainObject('options of SqliteTransport', options);
  checkKnown('options of SqliteTransport', options, KNOWN_OPTIONS);
  const {
    durability = 'full',
    fairness = 'new-groups-first',
    busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS,
    createSchema = true,
    readonly = false,
    maxEventBytes = DEFAULT_MAX_EVENT_BYTES,
    schema,
    clock = systemClock,
  } = options;
  checkOneOf('durability', durability, ['full', 'normal']);
  checkOneOf('fairness', fairness, ['new-groups-first', 'longest-waiting-first']);
  checkWhole('busyTimeoutMs', busyTimeoutMs, 0, 2 ** 31 - 1);
  checkBoolean('createSchema', createSchema);
  checkBoolean('readonly', readonly);
  checkWhole('maxEventBytes', maxEventBytes, 1, MOST_EVENT_BYTES);
  if (schema !== undefined && typeof schema?.['~standard']?.validate !== 'function')
    throw new BadArgument(
      `schema ${show(schema)} is no Standard Schema: give a zod, valibot or arktype schema.`,
    );
  return {
    ...readPlace(options),
    names: namesFor(options.tablePrefix),
    durability,
    fairness,
    busyTimeoutMs,
    createSchema,
    readonly,
    maxEventBytes,
    schema,
    clock,
    repair: !readonly,
  };
}

/** better-sqlite3 cuts blanks off a path's ends and would open another file; an empty path is a database that vanishes. */
export function checkPath(path: unknown): asserts path is string {
  checkText('path', path);
  if (path === '' || path !== path.trim())
    throw new BadArgument(`path ${show(path)} must be the path of a file, with no blanks at its ends.`);
}

function readPlace({ path, database }: { path?: string | undefined; database?: Database | undefined }): {
  path: string;
  database: Database | undefined;
} {
  if ((path === undefined) === (database === undefined))
    throw new BadArgument('Give SqliteTransport either a path or a database, as in {path: "queue.db"}.');
  if (database !== undefined) {
    if (typeof database?.prepare !== 'function' || !database.open)
      throw new BadArgument(
        'database must be an open better-sqlite3 connection: open it before, close it after.',
      );
    return { path: database.name, database };
  }
  checkPath(path);
  return { path, database: undefined };
}
