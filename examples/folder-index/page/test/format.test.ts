import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FolderIndexStatus } from '../../shared/bridge.ts';
import { folderName, headline, megabytes, pathParts, perSecond, progress, tally } from '../format.ts';

const status: FolderIndexStatus = {
  folder: '/home/ada/Pictures',
  phase: 'indexing',
  found: 1000,
  indexed: 240,
  failed: 10,
  bytes: 0,
  filesPerSecond: 0,
  reading: [],
  paused: false,
};

test('progress counts indexed and failed files, and reaches 1 only when all are done', () => {
  assert.equal(progress(status), 0.25);
  assert.equal(progress({ ...status, found: 0, indexed: 0, failed: 0 }), 0);
  assert.equal(progress({ ...status, phase: 'walking', indexed: 990 }), 0.99);
  assert.equal(progress({ ...status, phase: 'done' }), 1);
  assert.equal(progress({ ...status, indexed: 5000 }), 1);
});

test('the headline names the phase and the tally counts the files', () => {
  assert.equal(headline({ ...status, phase: 'done', failed: 0 }), 'Everything is indexed');
  assert.match(headline({ ...status, phase: 'done' }), /failed/);
  assert.equal(tally(status), '240 of 1,000 files');
  assert.equal(tally({ ...status, phase: 'walking' }), '240 of 1,000 files found so far');
});

test('small sizes and rates have one decimal', () => {
  assert.equal(megabytes(0), '0.0 MB');
  assert.equal(megabytes(12_340_000), '12.3 MB');
  assert.equal(megabytes(1_234_000_000), '1,234 MB');
  assert.equal(perSecond(0), '0');
  assert.equal(perSecond(3.25), '3.3');
  assert.equal(perSecond(182.4), '182');
});

test('a path is shown relative to its folder, with either kind of slash', () => {
  assert.deepEqual(pathParts('/home/ada/Pictures/2026/a.heic', status.folder), {
    name: 'a.heic',
    above: '2026',
  });
  assert.deepEqual(pathParts('C:\\Fotos\\a\\b.jpg', 'C:\\Fotos'), { name: 'b.jpg', above: 'a' });
  assert.deepEqual(pathParts('top.txt', status.folder), { name: 'top.txt', above: '' });
  assert.equal(folderName('/home/ada/Pictures/'), 'Pictures');
  assert.equal(folderName('C:\\'), 'C:');
});
