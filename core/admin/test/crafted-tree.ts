/** Crafts files that are small and take years to read: each page of a tree refers to the next one many times. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const LEVELS = 8;
/** A record of two columns: its header, and NULL and 0 without content. */
const RECORD = [3, 3, 0, 8];
const [INDEX_INTERIOR, TABLE_INTERIOR, INDEX_LEAF, TABLE_LEAF] = [2, 5, 10, 13];

/** A query over this index never ends. */
export function craftIndex(path: string, index: string): void {
  const root = rootPage(path, index);
  using file = new Pages(path);
  const leaf = file.append(page(file.size, INDEX_LEAF, null, [RECORD]));
  const level = endless(file, INDEX_INTERIOR, leaf, RECORD);
  file.write(root, page(file.size, INDEX_INTERIOR, level, full(file.size, level, RECORD)));
}

/** The schema cannot be read to its end, so no statement can be compiled. */
export function craftSchema(path: string): void {
  const root = rootPage(path, AUTO_INDEX);
  using file = new Pages(path);
  // SQLite accepts the row of an automatic index again and again.
  const row = ['index', AUTO_INDEX, 'harel_transport_groups', root];
  const leaf = file.append(page(file.size, TABLE_LEAF, null, [[...schemaRecord(row)]]));
  const level = endless(file, TABLE_INTERIOR, leaf, [1]);
  // The true rows come first. The root is an interior page: the schema of a queue is longer than a page.
  const last = file.read(1).readUInt32BE(LAST_CHILD);
  const inserted = file.append(page(file.size, TABLE_INTERIOR, level, [[...pointer(last), 1]]));
  const first = file.read(1);
  first.writeUInt32BE(inserted, LAST_CHILD);
  file.write(1, first);
}

/** Page 1 begins with the file's header of 100 bytes. */
const LAST_CHILD = 108;
const AUTO_INDEX = 'sqlite_autoindex_harel_transport_groups_1';

/** A cell of a leaf: the row's length, its rowid, and a record of three texts, a number of one byte, and NULL. */
function schemaRecord([type, name, table, root]: readonly (string | number)[]): Buffer {
  const texts = [type, name, table].map((text) => Buffer.from(String(text)));
  const types = texts.flatMap(({ length }) => varint(13 + 2 * length));
  const header = [types.length + 3, ...types, 1, 0];
  const record = Buffer.concat([Buffer.from(header), ...texts, Buffer.from([Number(root)])]);
  return Buffer.concat([Buffer.from([...varint(record.length), 1]), record]);
}

const varint = (value: number) => (value < 128 ? [value] : [128 + (value >> 7), value & 127]);

/** Appends levels of interior pages above the leaf. Returns the highest one. */
function endless(file: Pages, type: number, leaf: number, content: readonly number[]): number {
  let child = leaf;
  for (let level = 0; level < LEVELS; level++)
    child = file.append(page(file.size, type, child, full(file.size, child, content)));
  return child;
}

/** As many cells with this child as a page holds. */
function full(size: number, child: number, content: readonly number[]): number[][] {
  const cell = [...pointer(child), ...content];
  return Array.from({ length: Math.floor((size - 12) / (cell.length + 2)) }, () => cell);
}

/** A page with these cells; `last` is the child after them, or null for a leaf. */
function page(size: number, type: number, last: number | null, cells: readonly number[][]): Buffer {
  const bytes = Buffer.alloc(size);
  const header = last === null ? 8 : 12;
  bytes[0] = type;
  bytes.writeUInt16BE(cells.length, 3);
  if (last !== null) bytes.writeUInt32BE(last, 8);
  let at = size;
  for (const [n, cell] of cells.entries()) {
    at -= cell.length;
    bytes.writeUInt16BE(at, header + 2 * n);
    bytes.set(cell, at);
  }
  bytes.writeUInt16BE(at, 5);
  return bytes;
}

function pointer(child: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(child);
  return bytes;
}

function rootPage(path: string, name: string): number {
  const db = new DatabaseSync(path);
  try {
    return db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name)?.rootpage as number;
  } finally {
    db.close();
  }
}

/** The pages of a file that no connection has open. */
class Pages {
  readonly size: number;
  readonly #file: number;
  #count: number;

  constructor(path: string) {
    this.#file = openSync(path, 'r+');
    const header = Buffer.alloc(32);
    readSync(this.#file, header, 0, 32, 0);
    this.size = header.readUInt16BE(16);
    this.#count = header.readUInt32BE(28);
  }

  read(number: number): Buffer {
    const bytes = Buffer.alloc(this.size);
    readSync(this.#file, bytes, 0, this.size, (number - 1) * this.size);
    return bytes;
  }

  write(number: number, bytes: Buffer): void {
    writeSync(this.#file, bytes, 0, this.size, (number - 1) * this.size);
  }

  append(bytes: Buffer): number {
    this.write(++this.#count, bytes);
    writeSync(this.#file, pointer(this.#count), 0, 4, 28);
    return this.#count;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}
