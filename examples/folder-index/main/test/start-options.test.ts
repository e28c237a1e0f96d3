import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { startOptions } from '../start-options.ts';

const cwd = resolve('/home/someone');

test('without arguments it indexes the working directory into the usual place', () => {
  assert.deepEqual(startOptions([], cwd), { folder: cwd, paused: false, data: null, unattended: null });
});

test('the first argument that is no flag is the folder; flags may stand anywhere', () => {
  const args = ['--no-sandbox', '--data=store', 'photos', '--paused', '--unattended=/tmp/out', 'ignored'];
  assert.deepEqual(startOptions(args, cwd), {
    folder: resolve(cwd, 'photos'),
    paused: true,
    data: resolve(cwd, 'store'),
    unattended: resolve('/tmp/out'),
  });
});

test('an empty value is as good as none', () => {
  assert.equal(startOptions(['--data='], cwd).data, null);
});
