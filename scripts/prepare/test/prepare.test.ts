import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { makeFolder } from '../atomic.mjs';
import { missingIn } from '../libraries.mjs';
import { matches } from '../packages.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'leasehold-prepare-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('packages', () => {
  const a = { version: '1.0.0', integrity: 'sha512-a' };

  test('that are what the lock asks for are left alone', () => {
    assert.equal(matches({ '': {}, 'node_modules/a': a }, { 'node_modules/a': a }), true);
  });
  test('are installed if one is missing', () => assert.equal(matches({ 'node_modules/a': a }, {}), false));
  test('are installed if one has another version', () => {
    assert.equal(matches({ 'node_modules/a': a }, { 'node_modules/a': { ...a, version: '1.0.1' } }), false);
  });
  test('for other platforms may be missing', () => {
    assert.equal(matches({ 'node_modules/a': { ...a, optional: true } }, {}), true);
  });
});

describe('a folder in the cache', () => {
  test('appears only when it is whole', async () => {
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
  test('that another process finished meanwhile is taken as it is', async () => {
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

describe('missing system libraries', () => {
  test('are read from what ldd prints, each once', () => {
    const ldd = `electron:
\tlibgtk-3.so.0 => not found
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)
/opt/libEGL.so:
\tlibgbm.so.1 => not found
\tlibgtk-3.so.0 => not found
`;
    assert.deepEqual(missingIn(ldd), ['libgbm.so.1', 'libgtk-3.so.0']);
  });

  // A stand-in for ldd comes first on the PATH of a process of its own.
  const isLinux = process.platform === 'linux';
  test('stop anyone but root with the command to run', () => {
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
