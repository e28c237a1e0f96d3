import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAge, formatDateTime, formatDuration, formatTimeLeft } from '../format.ts';

test('a duration has at most two units, and the lower one is padded', () => {
  assert.equal(formatDuration(0), '0 s');
  assert.equal(formatDuration(59_999), '59 s');
  assert.equal(formatDuration(60_000), '1 m 00 s');
  assert.equal(formatDuration(250_000), '4 m 10 s');
  assert.equal(formatDuration(3 * 3_600_000 + 5 * 60_000), '3 h 05 m');
  assert.equal(formatDuration(49 * 3_600_000), '2 d 01 h');
});

test('the age of a message published in the future is zero', () => {
  assert.equal(formatAge(2000, 1000), '0 s');
});

test('the time left of a lease is rounded up, because the lease is held at exactly its expiry', () => {
  assert.equal(formatTimeLeft(1000, 1000), '0 s');
  assert.equal(formatTimeLeft(1001, 1000), '1 s');
  assert.equal(formatTimeLeft(60_500, 1000), '1 m 00 s');
});

test('an expiry in the past is formatted as the time since then', () => {
  assert.equal(formatTimeLeft(1000, 9500), '8 s ago');
});

test('formatting a time that no Date can hold returns a text instead of throwing', () => {
  assert.equal(formatDateTime(1e300), 'a time out of range');
});
