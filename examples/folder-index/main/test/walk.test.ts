import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { inBatches, type WalkOptions, walk } from '../walk.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'folder-index-walk-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, content = 'x') {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), content);
}

async function paths(options?: WalkOptions) {
  const found: string[] = [];
  for await (const { path } of walk(root, options)) found.push(path);
  return found.sort();
}

test('the walk finds every file once, at any depth, with its size', async () => {
  put('a.txt', 'four');
  put('one/two/three/b.bin');
  put('one/.hidden');
  assert.deepEqual(await paths(), ['a.txt', 'one/.hidden', 'one/two/three/b.bin']);
  for await (const file of walk(root)) if (file.path === 'a.txt') assert.equal(file.size, 4);
});

test('the walk does not follow symbolic links to files, to other folders or into a loop', async () => {
  put('inside/a.txt');
  symlinkSync(root, join(root, 'inside', 'circle'));
  symlinkSync(tmpdir(), join(root, 'outside'));
  symlinkSync(join(root, 'inside', 'a.txt'), join(root, 'alias.txt'));
  symlinkSync('nowhere', join(root, 'dangling'));
  assert.deepEqual(await paths(), ['inside/a.txt']);
});

test('the walk skips the given folder and everything below it', async () => {
  put('a.txt');
  put('data/queue.db');
  put('data/deeper/b.txt');
  put('database.txt');
  assert.deepEqual(await paths({ skip: join(root, 'data') }), ['a.txt', 'database.txt']);
});

test('the walk reports a named pipe as a file', { skip: process.platform === 'win32' }, async () => {
  execFileSync('mkfifo', [join(root, 'pipe')]);
  assert.deepEqual(await paths(), ['pipe']);
});

test('the walk reports a folder that cannot be listed and continues', async () => {
  put('gone/a.txt');
  put('kept/b.txt');
  const unlisted: string[] = [];
  const found: string[] = [];
  for await (const { path } of walk(root, { onUnlisted: (folder) => unlisted.push(folder) })) {
    found.push(path);
    // The folder that was not visited yet disappears.
    rmSync(join(root, path.startsWith('gone') ? 'kept' : 'gone'), { recursive: true, force: true });
  }
  assert.equal(found.length, 1);
  assert.equal(unlisted.length, 1);
});

test('the walk reports a root that does not exist', async () => {
  const unlisted: string[] = [];
  for await (const _ of walk(join(root, 'nowhere'), { onUnlisted: (path) => unlisted.push(path) }));
  assert.deepEqual(unlisted, ['.']);
});

test('an aborted walk ends', async () => {
  put('a.txt');
  put('b.txt');
  const stop = new AbortController();
  const found: string[] = [];
  for await (const { path } of walk(root, { signal: stop.signal })) {
    found.push(path);
    stop.abort();
  }
  assert.equal(found.length, 1);
});

test('batches keep the order of the items, and the last batch holds the rest', async () => {
  async function* numbers() {
    yield* [1, 2, 3, 4, 5];
  }
  const batches: number[][] = [];
  for await (const batch of inBatches(numbers(), 2)) batches.push(batch);
  assert.deepEqual(batches, [[1, 2], [3, 4], [5]]);
});
