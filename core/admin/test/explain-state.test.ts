import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishEachState, withAdmin } from './admin-fixture.ts';

test('a detail explains in one sentence why its message waits', () =>
  withAdmin(async ({ queue, admin, edit }) => {
    publishEachState({ queue, edit });
    const sentences = [
      /^Leased by worker until \d\d:\d\d:\d\d \(attempt 1\)\.$/,
      /^Parked until \d\d:\d\d:\d\d \(attempt 1: ETIMEDOUT: no answer\)\.$/,
      /^The lease of worker lapsed at \d\d:\d\d:\d\d: the next claim of this group takes it\.$/,
      /^Buried at \d\d:\d\d:\d\d after 1 attempt: no such file\. Re-publish it to try again\.$/,
      /^Next in line for a claim with priority floor 2 or lower\.$/,
      /^Behind seq 1, leased by worker until \d\d:\d\d:\d\d\.$/,
    ];
    for (const [index, sentence] of sentences.entries())
      assert.match((await admin.message(index + 1))?.why ?? '', sentence);
  }));

test('there is no detail for a seq that the queue does not have', () =>
  withAdmin(async ({ queue, admin }) => {
    queue.publish('g', 1);
    assert.equal(await admin.message(99), null);
  }));
