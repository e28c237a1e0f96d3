import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffLines } from '../diff.ts';

const MARKS = { context: ' ', removed: '-', added: '+', gap: '~' };

const marked = (before: string, after: string) =>
  diffLines(before, after).map(({ kind, text }) => `${MARKS[kind]}${text}`);

test('the diff of equal texts is empty', () => {
  assert.deepEqual(diffLines('a\nb', 'a\nb'), []);
  assert.deepEqual(diffLines('', ''), []);
});

test('a changed line is a removed and an added line between two lines of context and the gaps', () => {
  assert.deepEqual(marked('1\n2\n3\n4\n5\n6\n7', '1\n2\n3\nx\n5\n6\n7'), [
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

test('changes that are far apart have one gap between their contexts', () => {
  assert.deepEqual(marked('a\n1\n2\n3\n4\n5\nb', 'x\n1\n2\n3\n4\n5\ny'), [
    '-a',
    '+x',
    ' 1',
    ' 2',
    '~',
    ' 4',
    ' 5',
    '-b',
    '+y',
  ]);
});

test('unchanged lines between added lines are recognised as unchanged', () => {
  assert.deepEqual(marked('a\nb\nc', 'a\nx\nb\ny\nc'), [' a', '+x', ' b', '+y', ' c']);
});

test('a line removed at the start and a line added at the end are both in the diff', () => {
  assert.deepEqual(marked('a\nb', 'b\nc'), ['-a', ' b', '+c']);
});

test('a text of one line that changes is shown without a remark on missing line breaks', () => {
  assert.deepEqual(marked('a', 'b'), ['-a', '+b']);
});

test('texts with too many changes to match line by line are shown whole', () => {
  const before = Array.from({ length: 3000 }, (_, i) => `a${i}`).join('\n');
  const after = Array.from({ length: 3000 }, (_, i) => `b${i}`).join('\n');
  const lines = diffLines(before, after);
  assert.equal(lines.length, 6000);
  assert.deepEqual(lines[0], { kind: 'removed', text: 'a0' });
  assert.deepEqual(lines[3000], { kind: 'added', text: 'b0' });
});
