/**
 * The index: a SQLite file of the app's own, beside the queue's and apart from it, so that neither waits for the
 * other's writes.
 *
 *   folders  one row for each folder that was ever indexed into this file
 *   known    what the walk has published, and the size and time the file had then
 *   files    what was read: one row for each path; `writes` counts how often the row was written
 *
 * Two files cannot commit together, so each pair of commits is ordered such that a crash between them repeats work and
 * never loses any:
 *
 *   publish, then known   A crash between leaves a batch published and not known: the next walk publishes it again. The
 *                         second delivery finds the row in `files` and reads nothing.
 *   files, then ack       A crash between leaves a row and its message: the redelivery finds the row, and is acked.
 *
 * The order holds across a power cut only when the first commit is on the disk before the second begins, so both files
 * are written with synchronous = FULL.
 */
import Database from 'better-sqlite3';
import type { FoundFile } from '../main/walk.ts';
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

/** One visit of a folder from end to end; `scan` marks what it met. */
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

/** A row that already says the same is left alone: `writes` stays, and a redelivery changes nothing. */
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

  /** Begins a visit of a folder, which is entered at its first. */
  startScan(root: string): Scan {
    return this.#db.transaction(() => {
      const folderId = this.#folder(root);
      const scan = this.#get('UPDATE folders SET scan = scan + 1 WHERE id = ? RETURNING scan', folderId);
      return { folderId, scan: scan as number };
    })();
  }

  /** Of these files the ones to publish: new, or of another size or time than when last published. Marks the others. */
  unpublished({ folderId, scan }: Scan, files: readonly FoundFile[]): FoundFile[] {
    const mark = this.#statement(
      'UPDATE known SET scan = ? WHERE folder_id = ? AND path = ? AND size = ? AND mtime_ms = ?',
    );
    return this.#db.transaction(() =>
      files.filter((file) => mark.run(scan, folderId, file.path, file.size, file.mtimeMs).changes === 0),
    )();
  }

  /** Records files as published. Only after their publish was committed. */
  remember({ folderId, scan }: Scan, files: readonly FoundFile[]): void {
    const put = this.#statement(PUT_KNOWN);
    this.#db.transaction(() => {
      for (const { path, size, mtimeMs } of files) put.run({ folderId, scan, path, size, mtimeMs });
    })();
  }

  /** Ends a visit that saw the whole folder: what it did not meet is no longer there, and leaves the index. */
  finishScan({ folderId, scan }: Scan): void {
    this.#db.transaction(() => {
      this.#statement('DELETE FROM known WHERE folder_id = ? AND scan <> ?').run(folderId, scan);
      this.#statement(
        `DELETE FROM files WHERE folder_id = ?
           AND NOT EXISTS (SELECT 1 FROM known WHERE known.folder_id = files.folder_id AND known.path = files.path)`,
      ).run(folderId);
    })();
  }

  /** True when the index has this very state of the file. */
  has(root: string, path: string, size: number, mtimeMs: number): boolean {
    const sql = 'SELECT 1 FROM files WHERE folder_id = ? AND path = ? AND size = ? AND mtime_ms = ?';
    return this.#get(sql, this.#folder(root), path, size, mtimeMs) !== undefined;
  }

  /** All or none. */
  put(files: readonly IndexedFile[]): void {
    const put = this.#statement(PUT_FILE);
    this.#db.transaction(() => {
      for (const { root, path, size, mtimeMs, kind, sha256 } of files)
        put.run({ folderId: this.#folder(root), path, size, mtimeMs, kind, sha256 });
    })();
  }

  /** Takes a file that is gone out of the index. */
  forget(root: string, path: string): void {
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
    // Inside a transaction the row may yet be rolled back.
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
