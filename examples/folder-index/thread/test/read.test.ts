import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { locate, readFacts } from '../read.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'folder-index-read-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const unknown = () => false;
const posix = { skip: process.platform === 'win32' };

test('the hash covers all chunks of a large file', async () => {
  const content = randomBytes(3_000_001);
  writeFileSync(join(root, 'a.bin'), content);
  const facts = await readFacts(join(root, 'a.bin'), unknown);
  assert.ok(facts && facts !== 'known');
  assert.equal(facts.size, content.length);
  assert.equal(facts.sha256, createHash('sha256').update(content).digest('hex'));
});

test('an empty file has the hash of no bytes', async () => {
  writeFileSync(join(root, 'empty'), '');
  const facts = await readFacts(join(root, 'empty'), unknown);
  assert.ok(facts && facts !== 'known');
  assert.equal(facts.sha256, createHash('sha256').digest('hex'));
});

test('a file that the index already has is not read', async () => {
  writeFileSync(join(root, 'a'), 'four');
  assert.equal(await readFacts(join(root, 'a'), (size) => size === 4), 'known');
});

test('reading a file that is gone resolves with null', async () => {
  assert.equal(await readFacts(join(root, 'nowhere'), unknown), null);
  writeFileSync(join(root, 'a'), '');
  assert.equal(await readFacts(join(root, 'a', 'below-a-file'), unknown), null);
});

test('a file whose name is not valid UTF-8 counts as unreadable and not as gone', async () => {
  await assert.rejects(readFacts(join(root, 'caf\uFFFD'), unknown), /cannot be opened/);
});

test('reading a named pipe without a writer rejects without blocking', posix, async () => {
  execFileSync('mkfifo', [join(root, 'pipe')]);
  await assert.rejects(readFacts(join(root, 'pipe'), unknown), /Not a regular file: a named pipe/);
});

test('reading a folder or a symbolic link rejects', posix, async () => {
  await assert.rejects(readFacts(root, unknown), /a folder/);
  writeFileSync(join(root, 'a'), '');
  symlinkSync(join(root, 'a'), join(root, 'link'));
  await assert.rejects(readFacts(join(root, 'link'), unknown), /cannot be opened/);
});

test('an aborted read rejects with AbortError', async () => {
  writeFileSync(join(root, 'a'), randomBytes(1_000_000));
  await assert.rejects(readFacts(join(root, 'a'), unknown, AbortSignal.abort()), { name: 'AbortError' });
});

test('a path that leaves the root is refused', () => {
  assert.equal(locate(root, 'a/b.txt'), join(root, 'a', 'b.txt'));
  assert.equal(locate(root, 'a/..b'), join(root, 'a', '..b'));
  for (const path of ['../a', '..', 'a/../../b', '/etc/passwd', 'a\0b'])
    assert.throws(() => locate(root, path), /not a path inside/, path);
});
