import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runUploads } from '../uploads.ts';

test('the uploads example retries a failed upload before the next message of its group', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-uploads-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const done = await runUploads(join(folder, 'uploads.db'));
  assert.deepEqual(done.toSorted(), [
    'forgot flaky.jpg',
    'uploaded flaky.jpg, attempt 2',
    'uploaded song.mp3, attempt 1',
  ]);
  assert.ok(done.indexOf('uploaded flaky.jpg, attempt 2') < done.indexOf('forgot flaky.jpg'));
});
