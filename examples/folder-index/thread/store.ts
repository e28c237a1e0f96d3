/**
 * The index: a SQLite file of the app, separate from the queue's file, so that neither waits for the other's writes.
 *
 *   folders  one row for each indexed folder
 *   known    one row for each published file, with its size and time at the publish
 *   files    one row for each file that was read; `writes` counts the writes of the row
 *
 * No transaction spans both files. Each pair of commits is ordered so that a crash between them repeats work and loses none:
 *
 *   publish, then known   After a crash between them, the next walk publishes the batch again. The second delivery finds the row
 *                         in `files` and reads nothing.
 *   files, then ack       After a crash between them, the redelivery finds the row and is acked.
 *
 * The order survives a power failure only if the first commit is on disk before the second begins, so both files use
 * synchronous = FULL.
 */
import Database from 'better-sqlite3';
import type { FoundFile } from '../shared/found-file.ts';
import type { FileFacts } from './read.ts';

export interface IndexedFile extends FileFacts {
  readonly root: string;
  readonly path: string;
  readonly kind: string;
}

export interface Totals {
  readonly found: number;
  readonly indexed: number;
  readonly bytes: number;
}

/** One walk of a folder. `known` rows with this number belong to files that the walk found. */
export interface Scan {
  readonly folderId: number;
  readonly scan: number;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS folders (
  id INTEGER PRIMARY KEY,
  root TEXT NOT NULL UNIQUE,
  scan INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS known (
  folder_id INTEGER NOT NULL REFERENCES folders (id),
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ms REAL NOT NULL,
  scan INTEGER NOT NULL,
  PRIMARY KEY (folder_id, path)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
  folder_id INTEGER NOT NULL REFERENCES folders (id),
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ms REAL NOT NULL,
  kind TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  writes INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (folder_id, path)
) WITHOUT ROWID;
`;

/** An equal row is not written: `writes` stays, and a redelivery changes nothing. */
const PUT_FILE = `
INSERT INTO files (folder_id, path, size, mtime_ms, kind, sha256)
VALUES (@folderId, @path, @size, @mtimeMs, @kind, @sha256)
ON CONFLICT (folder_id, path) DO UPDATE SET
  size = excluded.size, mtime_ms = excluded.mtime_ms, kind = excluded.kind, sha256 = excluded.sha256,
  writes = writes + 1
WHERE size <> excluded.size OR mtime_ms <> excluded.mtime_ms OR sha256 <> excluded.sha256
`;

const PUT_KNOWN = `
INSERT INTO known (folder_id, path, size, mtime_ms, scan) VALUES (@folderId, @path, @size, @mtimeMs, @scan)
ON CONFLICT (folder_id, path) DO UPDATE SET size = excluded.size, mtime_ms = excluded.mtime_ms, scan = excluded.scan
`;

export class Store {
  readonly #db: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  readonly #folderIds = new Map<string, number>();

  constructor(path: string, nativeBinding?: string) {
    this.#db = new Database(path, nativeBinding ? { nativeBinding } : {});
    this.#db.pragma('journal_mode = WAL');
    this.#db.pragma('synchronous = FULL');
    this.#db.exec(SCHEMA);
  }

  /** Begins a scan. The first scan of a folder adds its row. */
  startScan(root: string): Scan {
    return this.#db.transaction(() => {
      const folderId = this.#folder(root);
      const scan = this.#get('UPDATE folders SET scan = scan + 1 WHERE id = ? RETURNING scan', folderId);
      return { folderId, scan: scan as number };
    })();
  }

  /** Returns the files to publish: new ones, and those with a different size or time. Marks the others as found. */
  unpublished({ folderId, scan }: Scan, files: readonly FoundFile[]): FoundFile[] {
    const mark = this.#statement(
      'UPDATE known SET scan = ? WHERE folder_id = ? AND path = ? AND size = ? AND mtime_ms = ?',
    );
    return this.#db.transaction(() =>
      files.filter((file) => mark.run(scan, folderId, file.path, file.size, file.mtimeMs).changes === 0),
    )();
  }

  /** Records files as published. Call it after the publish is committed. */
  recordPublished({ folderId, scan }: Scan, files: readonly FoundFile[]): void {
    const put = this.#statement(PUT_KNOWN);
    this.#db.transaction(() => {
      for (const { path, size, mtimeMs } of files) put.run({ folderId, scan, path, size, mtimeMs });
    })();
  }

  /** Ends a scan that covered the whole folder: deletes the rows of the files that it did not find. */
  finishScan({ folderId, scan }: Scan): void {
    this.#db.transaction(() => {
      this.#statement('DELETE FROM known WHERE folder_id = ? AND scan <> ?').run(folderId, scan);
      this.#statement(
        `DELETE FROM files WHERE folder_id = ?
           AND NOT EXISTS (SELECT 1 FROM known WHERE known.folder_id = files.folder_id AND known.path = files.path)`,
      ).run(folderId);
    })();
  }

  /** True if the index has a row with this size and time. */
  has(root: string, path: string, size: number, mtimeMs: number): boolean {
    const sql = 'SELECT 1 FROM files WHERE folder_id = ? AND path = ? AND size = ? AND mtime_ms = ?';
    return this.#get(sql, this.#folder(root), path, size, mtimeMs) !== undefined;
  }

  /** Writes the rows of all files, or of none. */
  put(files: readonly IndexedFile[]): void {
    const put = this.#statement(PUT_FILE);
    this.#db.transaction(() => {
      for (const { root, path, size, mtimeMs, kind, sha256 } of files)
        put.run({ folderId: this.#folder(root), path, size, mtimeMs, kind, sha256 });
    })();
  }

  /** Deletes the rows of a file that is gone. */
  remove(root: string, path: string): void {
    const folderId = this.#folder(root);
    this.#db.transaction(() => {
      this.#statement('DELETE FROM files WHERE folder_id = ? AND path = ?').run(folderId, path);
      this.#statement('DELETE FROM known WHERE folder_id = ? AND path = ?').run(folderId, path);
    })();
  }

  totals(root: string): Totals {
    const sql = `SELECT
      (SELECT COUNT(*) FROM known WHERE folder_id = @id) AS found,
      (SELECT COUNT(*) FROM files WHERE folder_id = @id) AS indexed,
      (SELECT COALESCE(SUM(size), 0) FROM files WHERE folder_id = @id) AS bytes`;
    return this.#statement(sql).get({ id: this.#folder(root) }) as Totals;
  }

  close(): void {
    this.#db.close();
  }

  #folder(root: string): number {
    const present = this.#folderIds.get(root);
    if (present !== undefined) return present;
    this.#statement('INSERT OR IGNORE INTO folders (root) VALUES (?)').run(root);
    const id = this.#get('SELECT id FROM folders WHERE root = ?', root) as number;
    // Inside a transaction a rollback may still undo the insert.
    if (!this.#db.inTransaction) this.#folderIds.set(root, id);
    return id;
  }

  #statement(sql: string): Database.Statement {
    const present = this.#statements.get(sql);
    if (present) return present;
    const made = this.#db.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }

  /** The first column of the first row. */
  #get(sql: string, ...values: unknown[]): unknown {
    return this.#statement(sql)
      .pluck()
      .get(...values);
  }
}
