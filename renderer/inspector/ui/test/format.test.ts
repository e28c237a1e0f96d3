import assert from 'node:assert/strict';
import { test } from 'node:test';
import { age, duration, moment, until } from '../format.ts';

test('a duration shows two units at most, the lower one padded', () => {
  assert.equal(duration(0), '0 s');
  assert.equal(duration(59_999), '59 s');
  assert.equal(duration(60_000), '1 m 00 s');
  assert.equal(duration(250_000), '4 m 10 s');
  assert.equal(duration(3 * 3_600_000 + 5 * 60_000), '3 h 05 m');
  assert.equal(duration(49 * 3_600_000), '2 d 01 h');
});

test('an age in the future counts as now', () => {
  assert.equal(age(2000, 1000), '0 s');
});

test('what is left of a lease is rounded up: it is still held at exactly its expiry', () => {
  assert.equal(until(1000, 1000), '0 s');
  assert.equal(until(1001, 1000), '1 s');
  assert.equal(until(60_500, 1000), '1 m 00 s');
});

test('an expiry that has passed says how long ago', () => {
  assert.equal(until(1000, 9500), '8 s ago');
});

test('a moment that no Date can hold is named, not thrown', () => {
  assert.equal(moment(1e300), 'a time out of range');
});
