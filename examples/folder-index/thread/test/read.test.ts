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

test('a file of many chunks has the hash of its whole content', async () => {
  const content = randomBytes(3_000_001);
  writeFileSync(join(root, 'a.bin'), content);
  const facts = await readFacts(join(root, 'a.bin'), unknown);
  assert.ok(facts && facts !== 'known');
  assert.equal(facts.size, content.length);
  assert.equal(facts.sha256, createHash('sha256').update(content).digest('hex'));
});

test('an empty file has a hash too', async () => {
  writeFileSync(join(root, 'empty'), '');
  const facts = await readFacts(join(root, 'empty'), unknown);
  assert.ok(facts && facts !== 'known');
  assert.equal(facts.sha256, createHash('sha256').digest('hex'));
});

test('a known file is not read', async () => {
  writeFileSync(join(root, 'a'), 'four');
  assert.equal(await readFacts(join(root, 'a'), (size) => size === 4), 'known');
});

test('a file that is gone is no error', async () => {
  assert.equal(await readFacts(join(root, 'nowhere'), unknown), null);
  writeFileSync(join(root, 'a'), '');
  assert.equal(await readFacts(join(root, 'a', 'below-a-file'), unknown), null);
});

test('a name that was not UTF-8 is unreadable, not gone', async () => {
  await assert.rejects(readFacts(join(root, 'caf\uFFFD'), unknown), /Cannot open/);
});

test('a named pipe that nobody writes to is refused at once', posix, async () => {
  execFileSync('mkfifo', [join(root, 'pipe')]);
  await assert.rejects(readFacts(join(root, 'pipe'), unknown), /Not a regular file: a named pipe/);
});

test('a folder and a link are refused', posix, async () => {
  await assert.rejects(readFacts(root, unknown), /a folder/);
  writeFileSync(join(root, 'a'), '');
  symlinkSync(join(root, 'a'), join(root, 'link'));
  await assert.rejects(readFacts(join(root, 'link'), unknown), /Cannot open/);
});

test('an aborted read ends with an error', async () => {
  writeFileSync(join(root, 'a'), randomBytes(1_000_000));
  await assert.rejects(readFacts(join(root, 'a'), unknown, AbortSignal.abort()), { name: 'AbortError' });
});

test('a path stays inside its root', () => {
  assert.equal(locate(root, 'a/b.txt'), join(root, 'a', 'b.txt'));
  assert.equal(locate(root, 'a/..b'), join(root, 'a', '..b'));
  for (const path of ['../a', '..', 'a/../../b', '/etc/passwd', 'a\0b'])
    assert.throws(() => locate(root, path), /not a path inside/, path);
});
