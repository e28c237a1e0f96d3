import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { Indexer } from '../indexer.ts';
import { Store } from '../store.ts';

let folder: string;
let root: string;
let store: Store;
let indexer: Indexer;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'folder-index-indexer-'));
  root = join(folder, 'files');
  mkdirSync(root);
  store = new Store(join(folder, 'index.db'));
  indexer = new Indexer(store);
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

test('the first delivery of a file writes its row and the second delivery finds it', async () => {
  writeFileSync(join(root, 'a.txt'), 'hello');
  assert.equal(await indexer.index(root, 'a.txt'), 'written');
  assert.equal(await indexer.index(root, 'a.txt'), 'known');
  assert.deepEqual(store.totals(root), { found: 0, indexed: 1, bytes: 5 });
});

test('fifty files that are indexed at the same time all get a row', async () => {
  const names = Array.from({ length: 50 }, (_, i) => `file-${i}`);
  for (const name of names) writeFileSync(join(root, name), name);
  await Promise.all(names.map((name) => indexer.index(root, name)));
  assert.equal(store.totals(root).indexed, 50);
});

test('the row of a file that is gone is deleted', async () => {
  writeFileSync(join(root, 'a.txt'), 'hello');
  await indexer.index(root, 'a.txt');
  rmSync(join(root, 'a.txt'));
  assert.equal(await indexer.index(root, 'a.txt'), 'gone');
  assert.equal(store.totals(root).indexed, 0);
});

test('a failed commit rejects the call of every file in it', async () => {
  writeFileSync(join(root, 'a.txt'), 'hello');
  const both = [indexer.index(root, 'a.txt'), indexer.index(root, 'a.txt')];
  store.put = () => {
    throw new Error('disk full');
  };
  for (const result of await Promise.allSettled(both)) assert.equal(result.status, 'rejected');
});
