import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnsToHide, gridTemplate } from '../fit-columns.ts';

const column = (id: string, width: number, rank: number) => ({ id, meta: { label: id, width, rank } });
const columns = [
  column('seq', 100, 0),
  column('holder', 100, 3),
  column('age', 100, 1),
  column('error', 100, 2),
];

test('as few columns as possible are hidden, in the order of their rank, and never those of rank 0', () => {
  assert.deepEqual(columnsToHide(columns, 400), []);
  assert.deepEqual(columnsToHide(columns, 399), ['holder']);
  assert.deepEqual(columnsToHide(columns, 250), ['holder', 'error']);
  assert.deepEqual(columnsToHide(columns, 10), ['holder', 'error', 'age']);
});

test('a column that grows shares the remaining width and keeps its minimum width', () => {
  assert.equal(
    gridTemplate([
      { label: 'a', width: 80, rank: 0 },
      { label: 'b', width: 120, rank: 0, grow: 2 },
    ]),
    '80px minmax(120px, 2fr)',
  );
});
