import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compactJson, inChunks, prettyJson, prettyPieces } from '../pretty.ts';

test('the formatted text equals JSON.stringify with two spaces where parsing loses nothing', () => {
  const values = [
    1,
    'a',
    null,
    [],
    {},
    [[]],
    [{}],
    { a: [] },
    { a: [1, 2, { b: 'x,y:{[' }], c: { d: {} } },
    [',', ':', '{', '['],
    ['{', []],
  ];
  for (const value of values) {
    assert.equal(prettyJson(JSON.stringify(value)), JSON.stringify(value, null, 2));
    assert.equal(compactJson(JSON.stringify(value, null, 4)), JSON.stringify(value));
  }
});

test('formatting keeps big numbers, their notation and repeated keys', () => {
  const text = '{"id":9007199254740993,"id":1.50,"e":1E5}';
  assert.equal(prettyJson(text), '{\n  "id": 9007199254740993,\n  "id": 1.50,\n  "e": 1E5\n}');
  assert.equal(compactJson(prettyJson(text)), text);
});

test('each piece has the kind of its token', () => {
  assert.deepEqual(
    prettyPieces('{"a":[1,true]}').map((piece) => piece.kind),
    [null, 'key', null, 'number', null, 'literal', null],
  );
});

test('chunks joined by line breaks equal the formatted text, and each has about a hundred lines', () => {
  const text = JSON.stringify(Array.from({ length: 500 }, (_, i) => ({ i, at: [i] })));
  const pieces = prettyPieces(text).map((piece, at) => (at < 900 ? piece : { ...piece, kind: null }));
  const chunks = inChunks(pieces).map((chunk) => chunk.map((piece) => piece.text).join(''));
  assert.equal(chunks.join('\n'), prettyJson(text));
  assert.ok(chunks.length > 20);
  for (const chunk of chunks) assert.ok(chunk.split('\n').length <= 110);
});
