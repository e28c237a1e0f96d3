import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rate } from '../rate.ts';

test('the rate is the average of the last three seconds', () => {
  let now = 0;
  const rate = new Rate(() => now);
  assert.equal(rate.perSecond(), 0);
  for (let i = 0; i < 100; i++) rate.add();
  now = 1_000;
  assert.equal(rate.perSecond(), 100);
  now = 2_000;
  assert.equal(rate.perSecond(), 50);
  now = 10_000;
  assert.equal(rate.perSecond(), 0);
});
