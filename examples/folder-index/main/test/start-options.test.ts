import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { startOptions } from '../start-options.ts';

const cwd = resolve('/home/someone');

test('without arguments the app indexes the working directory and uses the default data folder', () => {
  assert.deepEqual(startOptions([], cwd), { folder: cwd, paused: false, data: null, unattended: null });
});

test('the first argument that is not a flag is the folder, wherever the flags stand', () => {
  const args = ['--no-sandbox', '--data=store', 'photos', '--paused', '--unattended=/tmp/out', 'ignored'];
  assert.deepEqual(startOptions(args, cwd), {
    folder: resolve(cwd, 'photos'),
    paused: true,
    data: resolve(cwd, 'store'),
    unattended: resolve('/tmp/out'),
  });
});

test('a flag with an empty value counts as absent', () => {
  assert.equal(startOptions(['--data='], cwd).data, null);
});
