import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import Database from 'better-sqlite3';
import { Store } from '../store.ts';

let folder: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'folder-index-store-'));
  store = new Store(join(folder, 'index.db'));
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

const root = '/somewhere';
const found = (path: string, size = 1, mtimeMs = 1000.5) => ({ path, size, mtimeMs });
const read = (path: string, content: string, more = {}) => ({
  ...{ root, path, size: content.length, mtimeMs: 1000.5, kind: 'document', sha256: content, ...more },
});

/** Reads the file as another program would. */
function query<T>(sql: string): T[] {
  const db = new Database(join(folder, 'index.db'), { readonly: true });
  try {
    return db.prepare(sql).all() as T[];
  } finally {
    db.close();
  }
}
const writes = () => query<{ path: string; writes: number }>('SELECT path, writes FROM files ORDER BY path');

test('a file is published once, and again only after its size or time changed', () => {
  const scan = store.startScan(root);
  assert.equal(store.unpublished(scan, [found('a'), found('b')]).length, 2);
  store.recordPublished(scan, [found('a'), found('b')]);
  const again = store.startScan(root);
  assert.deepEqual(store.unpublished(again, [found('a'), found('b', 2), found('c')]), [
    found('b', 2),
    found('c'),
  ]);
  assert.deepEqual(store.unpublished(again, [found('a', 1, 2000)]), [found('a', 1, 2000)]);
});

test('a file whose publish was not recorded, as after a crash, is published again', () => {
  assert.equal(store.unpublished(store.startScan(root), [found('a')]).length, 1);
  assert.equal(store.unpublished(store.startScan(root), [found('a')]).length, 1);
});

test('a redelivery of an unchanged file does not write its row again', () => {
  store.put([read('a', 'one')]);
  store.put([read('a', 'one')]);
  assert.deepEqual(writes(), [{ path: 'a', writes: 1 }]);
});

test('a changed file updates its row and increments the count of writes', () => {
  store.put([read('a', 'one')]);
  store.put([read('a', 'two', { mtimeMs: 2000 })]);
  assert.deepEqual(writes(), [{ path: 'a', writes: 2 }]);
  assert.equal(store.has(root, 'a', 3, 2000), true);
  assert.equal(store.has(root, 'a', 3, 1000.5), false);
});

test('a batch with one invalid file writes no row', () => {
  assert.throws(() => store.put([read('a', 'one'), read('b', 'two', { sha256: null as never })]));
  assert.deepEqual(writes(), []);
});

test('only a complete scan deletes the rows of files that it did not find', () => {
  const first = store.startScan(root);
  store.recordPublished(first, [found('a'), found('b')]);
  store.put([read('a', 'x'), read('b', 'x')]);
  const second = store.startScan(root);
  store.unpublished(second, [found('a')]);
  assert.equal(store.totals(root).indexed, 2);
  store.finishScan(second);
  assert.deepEqual(writes(), [{ path: 'a', writes: 1 }]);
  assert.deepEqual(store.totals(root), { found: 1, indexed: 1, bytes: 1 });
});

test('a file that was deleted and comes back is published again', () => {
  const scan = store.startScan(root);
  store.recordPublished(scan, [found('a')]);
  store.put([read('a', 'x')]);
  store.remove(root, 'a');
  assert.deepEqual(store.totals(root), { found: 0, indexed: 0, bytes: 0 });
  assert.equal(store.unpublished(scan, [found('a')]).length, 1);
});

test('two indexed folders with the same relative path keep separate rows', () => {
  store.recordPublished(store.startScan('/one'), [found('a')]);
  store.put([read('a', 'xx', { root: '/one' })]);
  const other = store.startScan('/two');
  assert.equal(store.unpublished(other, [found('a')]).length, 1);
  store.finishScan(other);
  assert.deepEqual(store.totals('/one'), { found: 1, indexed: 1, bytes: 2 });
  assert.deepEqual(store.totals('/two'), { found: 0, indexed: 0, bytes: 0 });
});
