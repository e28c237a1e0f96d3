import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moved } from '../grid-keys.ts';

const extent = { rows: 100, headers: 5, page: 20 };
const row = (at: number) => ({ row: at, header: null });

test('arrows and j, k step by one and stop at the ends', () => {
  assert.deepEqual(moved('ArrowDown', row(4), extent), row(5));
  assert.deepEqual(moved('j', row(99), extent), row(99));
  assert.deepEqual(moved('k', row(4), extent), row(3));
  assert.deepEqual(moved('k', row(0), extent), row(0));
});

test('pages, first and last', () => {
  assert.deepEqual(moved('PageDown', row(90), extent), row(99));
  assert.deepEqual(moved('PageUp', row(30), extent), row(10));
  assert.deepEqual(moved('Home', row(30), extent), row(0));
  assert.deepEqual(moved('End', row(30), extent), row(99));
});

test('up from the first row leads to the headers, and down back to the rows', () => {
  assert.deepEqual(moved('ArrowUp', row(0), extent), { row: 0, header: 0 });
  assert.deepEqual(moved('ArrowRight', { row: 0, header: 0 }, extent), { row: 0, header: 1 });
  assert.deepEqual(moved('ArrowRight', { row: 0, header: 4 }, extent), { row: 0, header: 4 });
  assert.deepEqual(moved('ArrowDown', { row: 0, header: 3 }, extent), row(0));
});

test('an empty list has nowhere to go, and other keys are left alone', () => {
  assert.deepEqual(moved('End', row(0), { ...extent, rows: 0 }), row(0));
  assert.equal(moved('x', row(0), extent), null);
  assert.equal(moved('ArrowLeft', row(0), extent), null);
});
