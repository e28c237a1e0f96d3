/** Crafts a file that is small and takes years to read: each page of an index refers to the next one many times. */
import { closeSync, openSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';

const LEVELS = 8;
/** A record of two columns: its header, and NULL and 0 without content. */
const RECORD = [3, 3, 0, 8];

export function craftIndex(path: string, index: string): void {
  const db = new Database(path);
  const number = (pragma: string) => db.pragma(pragma, { simple: true }) as number;
  const [size, lastPage] = [number('page_size'), number('page_count')];
  const root = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(index) as number;
  db.close();
  const file = openSync(path, 'r+');
  const write = (page: number, content: Buffer) => writeSync(file, content, 0, size, (page - 1) * size);
  write(lastPage + 1, indexPage(size, null));
  for (let level = 1; level <= LEVELS; level++)
    write(lastPage + 1 + level, indexPage(size, lastPage + level));
  write(root, indexPage(size, lastPage + 1 + LEVELS));
  const pageCount = Buffer.alloc(4);
  pageCount.writeUInt32BE(lastPage + 1 + LEVELS);
  writeSync(file, pageCount, 0, 4, 28);
  closeSync(file);
}

/** A leaf with one cell, or an interior page that is full of cells with this child. */
function indexPage(size: number, child: number | null): Buffer {
  const page = Buffer.alloc(size);
  const pointer = Buffer.alloc(4);
  pointer.writeUInt32BE(child ?? 0);
  const cell = Buffer.from(child === null ? RECORD : [...pointer, ...RECORD]);
  const header = child === null ? 8 : 12;
  const cells = child === null ? 1 : Math.floor((size - header) / (cell.length + 2));
  page[0] = child === null ? 10 : 2;
  page.writeUInt16BE(cells, 3);
  page.writeUInt16BE(size - cells * cell.length, 5);
  if (child !== null) pointer.copy(page, 8);
  for (let n = 0; n < cells; n++) {
    const at = size - (n + 1) * cell.length;
    page.writeUInt16BE(at, header + 2 * n);
    cell.copy(page, at);
  }
  return page;
}
