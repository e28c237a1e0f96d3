import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { systemClock } from '../../contract/clock.ts';
import { openAdmin, SqliteTransport } from '../../index.ts';
import { DEFAULT_BUSY_TIMEOUT_MS } from '../../sqlite/file/open-file.ts';
import { outcomesOf } from '../../sqlite/test/support/async-bench.ts';
import { LockTime } from '../../sqlite/test/support/lock-time.ts';
import { inTempFolder } from '../../sqlite/test/support/temp-folder.ts';

test(
  'an operation that is queued behind one that runs into BUSY waits from its own start, and the first is answered at once',
  { timeout: 20_000 },
  (t) =>
    inTempFolder(async (folder) => {
      const path = folder.file();
      new SqliteTransport({ path }).close();
      const other = new Database(path);
      other.exec('BEGIN IMMEDIATE');
      const time = LockTime.share();
      t.mock.method(systemClock, 'monotonic', () => time.now);
      const admin = openAdmin({ path, threadFile: new URL('./lock-time-admin.thread.ts', import.meta.url) });
      const purge = () => outcomesOf([admin.purge({ deadLetters: { maxCount: 1 } })]);
      try {
        const first = purge();
        await time.until(1_000);
        const second = purge();
        await time.until(2_000);
        const third = purge();
        await time.until(DEFAULT_BUSY_TIMEOUT_MS + 1_500);
        // The thread sleeps for the third.
        assert.deepEqual([...(await first), ...(await second)], ['BUSY', 'BUSY']);
        await time.goOn();
        assert.deepEqual(await third, ['BUSY']);
        assert.equal(time.now, DEFAULT_BUSY_TIMEOUT_MS + 2_000);
      } finally {
        await time.goOn();
        other.close();
        await admin.close();
      }
    }),
);
