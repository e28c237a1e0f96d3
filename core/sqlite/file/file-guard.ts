/**
 * Notices that the queue's file is no longer what its path leads to: deleted, replaced, or truncated while it is open.
 * SQLite itself goes on with the file that it has open, and what is committed then is lost.
 *
 * A look compares device and inode of the file, of its log and of the log's index with those at opening, 20 microseconds
 * once a second. No file is opened: a close would drop SQLite's locks on it.
 */

import { type BigIntStats, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Database } from 'better-sqlite3';
import { LeaseholdError } from '../../contract/errors.ts';
import { absolutePath } from './absolute-path.ts';
import { identity, identityOf, openFiles } from './open-descriptors.ts';
import { warnOfSecondLibrary } from './second-library.ts';
import { warnOfSecondName } from './second-name.ts';

const LOOK_MS = 1000;
/** How many looks pass between two searches for another SQLite library, which read every descriptor of the process. */
const LOOKS_PER_SEARCH = 10;

interface WatchedFile {
  readonly path: string;
  readonly identity: string;
}

export class FileGuard {
  readonly #db: Database;
  readonly #database: WatchedFile;
  /** The log and its index, which SQLite opens by name. Those that do not exist at opening are not watched. */
  readonly #companions: readonly WatchedFile[];
  readonly #pageSize: number;
  /** The file as SQLite names it, without symbolic links. */
  readonly #realPath: string;
  #size: bigint;
  /** VACUUM raises it. Read when the size was. */
  #schemaVersion: unknown;
  #nextLook = Number.NEGATIVE_INFINITY;
  #looks = 0;
  #failure: LeaseholdError | undefined;

  /**
   * `path` is what the connection was opened with, if the working directory is still the same. The connection must have read
   * something, so that its log is open. Returns undefined for a database without a file. Raises FILE_REPLACED when the path
   * leads to another file than the one that is open.
   */
  static of(db: Database, path?: string): FileGuard | undefined {
    const [main] = db.pragma('database_list') as { file: string }[];
    // Empty in memory, and not a path where the app has opened a descriptor.
    if (!main || !isAbsolute(main.file)) return undefined;
    return new FileGuard(db, absolutePath(path ?? main.file), main.file);
  }

  private constructor(db: Database, path: string, realPath: string) {
    this.#db = db;
    const found = stat(path);
    this.#database = { path, identity: found ? identity(found) : '' };
    if (!found) throw this.#fail('was deleted');
    this.#realPath = realPath;
    this.#companions = [`${realPath}-wal`, `${realPath}-shm`].flatMap((companion) => {
      const its = identityOf(companion);
      return its === undefined ? [] : [{ path: companion, identity: its }];
    });
    this.#pageSize = Number(db.pragma('page_size', { simple: true }));
    this.#size = found.size;
    this.#schemaVersion = this.#readSchemaVersion();
    const open = openFiles();
    if (open && !open.has(this.#database.identity)) throw this.#fail('was replaced');
    warnOfSecondLibrary(realPath, open);
    warnOfSecondName(realPath, found);
  }

  /** Raises FILE_REPLACED, now and ever after. Looks at most once a second; `now` is the monotonic clock. */
  check(now: number): void {
    if (this.#failure) throw this.#failure;
    if (now < this.#nextLook) return;
    this.#nextLook = now + LOOK_MS;
    this.#look();
    if (++this.#looks % LOOKS_PER_SEARCH === 0) warnOfSecondLibrary(this.#realPath, openFiles());
  }

  /** Equal for two paths of one file. */
  get identity(): string {
    return this.#database.identity;
  }

  /** FILE_REPLACED where it is this error or its cause: a truncated file makes SQLite raise other errors. */
  failureBehind(error: unknown): LeaseholdError | undefined {
    const code = error instanceof LeaseholdError ? error.code : undefined;
    if (!this.#failure && (code === 'CORRUPT' || code === 'NOT_A_QUEUE' || code === 'STORAGE')) {
      try {
        this.#look();
      } catch {
        // Kept as the failure, unless the file cannot even be read.
      }
    }
    return this.#failure;
  }

  get failure(): LeaseholdError | undefined {
    return this.#failure;
  }

  /**
   * Call it before the connection is closed. The log is found by its name: left beside another file it would be taken for
   * that file's, and its pages laid over it. SQLite leaves it there when the file has moved. So its pages are copied into
   * the file that is open, by descriptor, and the log is emptied.
   */
  leave(): void {
    if (!isOther(stat(this.#database.path), this.#database)) return;
    try {
      this.#db.pragma('busy_timeout = 0');
      this.#db.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // Another connection reads from the log, and takes it over.
    }
  }

  /** Raises FILE_REPLACED. */
  #look(): void {
    const found = stat(this.#database.path);
    if (found === undefined) throw this.#fail('was deleted');
    if (isOther(found, this.#database)) throw this.#fail('was replaced by another file');
    if (found) this.#lookAtSize(found.size);
    for (const companion of this.#companions)
      if (isOther(stat(companion.path), companion))
        throw this.#fail(`lost its log, since ${companion.path} was deleted or replaced`);
  }

  /**
   * A checkpoint after VACUUM or an automatic vacuum shortens the file too, to whole pages. It leaves the first page.
   */
  #lookAtSize(size: bigint): void {
    if (size === this.#size) return;
    const isEmpty = size < this.#pageSize;
    const schemaVersion = isEmpty ? undefined : this.#readSchemaVersion();
    if (isEmpty || (size < this.#size && !this.#mayBeVacuumed(schemaVersion)))
      throw this.#fail(`was truncated from ${this.#size} to ${size} bytes`);
    this.#size = size;
    this.#schemaVersion = schemaVersion;
  }

  /** Without automatic vacuum only VACUUM shortens the file. A VACUUM can also switch it on. */
  #mayBeVacuumed(schemaVersion: unknown): boolean {
    return (
      schemaVersion !== this.#schemaVersion || Number(this.#db.pragma('auto_vacuum', { simple: true })) !== 0
    );
  }

  #readSchemaVersion(): unknown {
    return this.#db.pragma('schema_version', { simple: true });
  }

  #fail(what: string): LeaseholdError {
    this.#failure = new LeaseholdError(
      'FILE_REPLACED',
      `${this.#database.path} ${what} while it was open. What was committed in the last second before this may be lost. Close what uses the file before you move, restore or delete it, and open a new transport.`,
    );
    return this.#failure;
  }
}

/** Undefined where there is no file, null where it cannot be told now, as when a network drive does not answer. */
function stat(path: string): BigIntStats | undefined | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return null;
  }
}

function isOther(found: BigIntStats | undefined | null, expected: WatchedFile): boolean {
  return found !== null && (found === undefined || identity(found) !== expected.identity);
}
