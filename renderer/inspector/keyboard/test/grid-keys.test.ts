import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moveCursor } from '../grid-keys.ts';

const extent = { rows: 100, headers: 5, page: 20 };
const row = (at: number) => ({ row: at, header: null });

test('arrows, j and k move the cursor by one row and stop at the first and the last row', () => {
  assert.deepEqual(moveCursor('down', row(4), extent), row(5));
  assert.deepEqual(moveCursor('next', row(99), extent), row(99));
  assert.deepEqual(moveCursor('previous', row(4), extent), row(3));
  assert.deepEqual(moveCursor('previous', row(0), extent), row(0));
});

test('PageDown, PageUp, Home and End move the cursor and stop at the first and the last row', () => {
  assert.deepEqual(moveCursor('pageDown', row(90), extent), row(99));
  assert.deepEqual(moveCursor('pageUp', row(30), extent), row(10));
  assert.deepEqual(moveCursor('first', row(30), extent), row(0));
  assert.deepEqual(moveCursor('last', row(30), extent), row(99));
});

test('up from the first row moves the cursor to the headers, and down moves it back to the rows', () => {
  assert.deepEqual(moveCursor('up', row(0), extent), { row: 0, header: 0 });
  assert.deepEqual(moveCursor('right', { row: 0, header: 0 }, extent), { row: 0, header: 1 });
  assert.deepEqual(moveCursor('right', { row: 0, header: 4 }, extent), { row: 0, header: 4 });
  assert.deepEqual(moveCursor('down', { row: 0, header: 3 }, extent), row(0));
});

test('the cursor of an empty list stays on row 0', () => {
  assert.deepEqual(moveCursor('last', row(0), { ...extent, rows: 0 }), row(0));
});

test('the grid ignores shortcuts that do not move the cursor', () => {
  assert.equal(moveCursor('search', row(0), extent), null);
  assert.equal(moveCursor('left', row(0), extent), null);
});
