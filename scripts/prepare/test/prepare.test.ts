import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { missingIn } from '../libraries.mjs';
import { matches } from '../packages.mjs';
import { makeFolder } from '../support/make-folder.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'leasehold-prepare-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the check of the installed packages', () => {
  const a = { version: '1.0.0', integrity: 'sha512-a' };

  test('accepts packages that match the lock file', () => {
    assert.equal(matches({ '': {}, 'node_modules/a': a }, { 'node_modules/a': a }), true);
  });
  test('rejects a missing package', () => assert.equal(matches({ 'node_modules/a': a }, {}), false));
  test('rejects a package with a different version', () => {
    assert.equal(matches({ 'node_modules/a': a }, { 'node_modules/a': { ...a, version: '1.0.1' } }), false);
  });
  test('accepts a missing optional package, such as one for another platform', () => {
    assert.equal(matches({ 'node_modules/a': { ...a, optional: true } }, {}), true);
  });
});

describe('makeFolder', () => {
  test('lets the folder appear only when it is complete', async () => {
    const target = join(folder, 'cache/thing');
    await assert.rejects(
      makeFolder(target, async (temporary) => {
        writeFileSync(join(temporary, 'half'), '');
        throw new Error('interrupted');
      }),
    );
    assert.equal(existsSync(target), false);
    assert.deepEqual(readdirSync(join(folder, 'cache')), []);

    await makeFolder(target, async (temporary) => {
      mkdirSync(join(temporary, 'made'));
      assert.equal(existsSync(target), false);
      return join(temporary, 'made');
    });
    assert.deepEqual(readdirSync(join(folder, 'cache')), ['thing']);
  });
  test('keeps a folder that another process completed meanwhile', async () => {
    const target = join(folder, 'thing');
    await makeFolder(target, async (temporary) => {
      mkdirSync(target);
      writeFileSync(join(target, 'theirs'), '');
      mkdirSync(join(temporary, 'ours'));
      return join(temporary, 'ours');
    });
    assert.deepEqual(readdirSync(target), ['theirs']);
  });
});

describe('the check of the system libraries', () => {
  test('reads the missing libraries from the output of ldd, each once', () => {
    const ldd = `electron:
\tlibgtk-3.so.0 => not found
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)
/opt/libEGL.so:
\tlibgbm.so.1 => not found
\tlibgtk-3.so.0 => not found
`;
    assert.deepEqual(missingIn(ldd), ['libgbm.so.1', 'libgtk-3.so.0']);
  });

  // The process below finds a fake ldd first on its PATH.
  const isLinux = process.platform === 'linux';
  test('tells other users than root which command installs the missing libraries', () => {
    if (!isLinux) return;
    const ldd = join(folder, 'ldd');
    writeFileSync(ldd, '#!/bin/sh\necho "libgtk-3.so.0 => not found"\n');
    chmodSync(ldd, 0o755);
    const code = `process.getuid = () => 1000;
      const { libraries } = await import(${JSON.stringify(new URL('../libraries.mjs', import.meta.url).href)});
      await libraries(${JSON.stringify(join(folder, 'electron'))});`;
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
    });
    assert.notEqual(run.status, 0);
    assert.match(run.stderr, /Electron lacks libgtk-3\.so\.0/);
    assert.match(
      run.stderr,
      existsSync('/usr/bin/apt-get') ? /sudo apt-get install libgtk-3-0/ : /install it/,
    );
  });
});
