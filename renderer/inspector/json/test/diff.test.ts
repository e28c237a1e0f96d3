import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffLines } from '../diff.ts';

const drawn = (before: string, after: string) =>
  diffLines(before, after).map(
    (line) => `${{ same: ' ', gone: '-', new: '+', skip: '~' }[line.kind]}${line.text}`,
  );

test('equal texts have no diff', () => {
  assert.deepEqual(diffLines('a\nb', 'a\nb'), []);
});

test('a changed line shows as gone and new, with two lines around it', () => {
  assert.deepEqual(drawn('1\n2\n3\n4\n5\n6\n7', '1\n2\n3\nx\n5\n6\n7'), [
    '~',
    ' 2',
    ' 3',
    '-4',
    '+x',
    ' 5',
    ' 6',
    '~',
  ]);
});

test('lines that only moved apart keep their match', () => {
  assert.deepEqual(drawn('a\nb\nc', 'a\nx\nb\ny\nc'), [' a', '+x', ' b', '+y', ' c']);
});

test('adding at the end and removing at the start', () => {
  assert.deepEqual(drawn('a\nb', 'b\nc'), ['-a', ' b', '+c']);
});

test('texts too long to match line by line are still shown, whole', () => {
  const before = Array.from({ length: 3000 }, (_, i) => `a${i}`).join('\n');
  const after = Array.from({ length: 3000 }, (_, i) => `b${i}`).join('\n');
  assert.equal(diffLines(before, after).length, 6000);
});
