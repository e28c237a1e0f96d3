/** Crafts files that are small and take years to read, or more memory than there is: pages refer to others many times. */
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

/** All messages, with the seqs 1 to `rows`, have a group id of so many bytes, and share one page of it. The file is sparse. */
export function craftLongGroupIds(path: string, rows: number, bytes: number): void {
  const root = rootPage(path, 'harel_transport_messages');
  const columns = query(path, "SELECT name, type FROM pragma_table_info('harel_transport_messages')");
  // A record's types: a text of n bytes is 13 + 2n; NULL (for the column of the rowid too) is 0, and the number 0 is 8.
  const types = columns.map(({ name, type }) =>
    name === 'group_id' ? 13 + 2 * bytes : type === 'TEXT' ? 0 : 8,
  );
  const header = [0, ...types.slice(1)].flatMap(varint);
  const start = [header.length + 1, ...header];
  const length = start.length + bytes;
  using file = new Pages(path);
  const text = Buffer.alloc(file.size, 'y');
  text.writeUInt32BE(file.count + 1);
  const shared = file.append(text);
  const local = Buffer.alloc(localBytes(length, file.size), 'y');
  local.set(start);
  const cells = Array.from({ length: rows }, (_, n) => [
    ...varint(length),
    n + 1,
    ...local,
    ...pointer(shared),
  ]);
  file.write(root, page(file.size, TABLE_LEAF, null, cells));
  // SQLite refuses a value that is longer than the file.
  file.grow(bytes);
}

/** How much of a long record a leaf of a table holds itself. */
function localBytes(length: number, size: number): number {
  const least = Math.floor(((size - 12) * 32) / 255) - 23;
  const rest = least + ((length - least) % (size - 4));
  return rest <= size - 35 ? rest : least;
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

function varint(value: number): number[] {
  const high = value >> 7;
  return [...(high > 0 ? varint(high).map((byte) => byte | 128) : []), value & 127];
}

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
  return query(path, 'SELECT rootpage FROM sqlite_schema WHERE name = ?', name)[0]?.rootpage as number;
}

function query(path: string, sql: string, ...values: string[]) {
  const db = new DatabaseSync(path);
  try {
    return db.prepare(sql).all(...values);
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

  get count(): number {
    return this.#count;
  }

  append(bytes: Buffer): number {
    this.write(++this.#count, bytes);
    writeSync(this.#file, pointer(this.#count), 0, 4, 28);
    return this.#count;
  }

  /** By pages that take no space on the disk. */
  grow(bytes: number): void {
    this.#count += Math.ceil(bytes / this.size);
    this.append(Buffer.alloc(this.size));
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}
