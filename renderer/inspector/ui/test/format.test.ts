import assert from 'node:assert/strict';
import { test } from 'node:test';
import { age, dateTime, duration, until } from '../format.ts';

test('a duration has at most two units, and the lower one is padded', () => {
  assert.equal(duration(0), '0 s');
  assert.equal(duration(59_999), '59 s');
  assert.equal(duration(60_000), '1 m 00 s');
  assert.equal(duration(250_000), '4 m 10 s');
  assert.equal(duration(3 * 3_600_000 + 5 * 60_000), '3 h 05 m');
  assert.equal(duration(49 * 3_600_000), '2 d 01 h');
});

test('the age of a message published in the future is zero', () => {
  assert.equal(age(2000, 1000), '0 s');
});

test('the time left of a lease is rounded up, because the lease is held at exactly its expiry', () => {
  assert.equal(until(1000, 1000), '0 s');
  assert.equal(until(1001, 1000), '1 s');
  assert.equal(until(60_500, 1000), '1 m 00 s');
});

test('an expiry in the past is formatted as the time since then', () => {
  assert.equal(until(1000, 9500), '8 s ago');
});

test('formatting a time that no Date can hold returns a text instead of throwing', () => {
  assert.equal(dateTime(1e300), 'a time out of range');
});
