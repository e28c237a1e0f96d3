import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runUploads } from '../uploads.ts';

test('examples/uploads.ts: a file that fails is tried again before what comes after it in its group', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-uploads-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const did = await runUploads(join(folder, 'uploads.db'));
  assert.deepEqual(did.toSorted(), [
    'forgot flaky.jpg',
    'uploaded flaky.jpg, attempt 2',
    'uploaded song.mp3, attempt 1',
  ]);
  assert.ok(did.indexOf('uploaded flaky.jpg, attempt 2') < did.indexOf('forgot flaky.jpg'));
});
