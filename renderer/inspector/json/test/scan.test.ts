import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkJson, scan } from '../scan.ts';

test('the scanner keeps every digit of a number', () => {
  const text = '[9007199254740993,-0,1.10,1e400]';
  assert.deepEqual(
    scan(text)
      .filter((token) => token.kind === 'number')
      .map((token) => token.text),
    ['9007199254740993', '-0', '1.10', '1e400'],
  );
});

test('the scanner distinguishes keys from strings, and its tokens are the text without white space', () => {
  const text = ' { "a" : "b" , "c" : [ true , null , {} , [] ] } ';
  const tokens = scan(text);
  assert.equal(tokens.map((token) => token.text).join(''), text.replaceAll(' ', ''));
  assert.deepEqual(
    tokens.filter((token) => token.kind === 'key').map((token) => token.text),
    ['"a"', '"c"'],
  );
});

test('the scanner accepts exactly the texts that JSON.parse accepts', () => {
  const texts = [
    '1', '-1.5e-3', '""', '"\\u00e9\\n"', 'null', '[]', '{}', '[[],{}]', '{"a":{"b":[1,2]}}', '"\u2028"',
    '', ' ', '01', '1.', '.5', '+1', '-', '1e', 'tru', 'truex', 'NaN', "'a'", '"a', '"\\x"', '"\n"', '[1,]', '[,1]',
    '{"a"}', '{"a":}', '{"a":1,}', '{a:1}', '[1 2]', '{"a":1 "b":2}', '1 2', '[', '{', ']', '}', '[}', '{]',
    '{"a":1]', '"\\u12"', '\ufeff1', '\u00a01',
  ]; // biome-ignore format: one text to a line would make the list too long to read
  for (const text of texts) {
    let isValid = true;
    try {
      JSON.parse(text);
    } catch {
      isValid = false;
    }
    assert.equal(checkJson(text) === null, isValid, JSON.stringify(text));
  }
});

test('a syntax error is reported with its line and column', () => {
  assert.deepEqual(checkJson('{\n  "a": 1,\n}'), {
    message: 'Unexpected “}”: expected a key in double quotes.',
    line: 3,
    column: 1,
  });
  assert.deepEqual(checkJson('{"a": nope}'), {
    message: 'Unexpected “nope”: expected a value.',
    line: 1,
    column: 7,
  });
  assert.match(checkJson('{"path": "C:\\Users"}')?.message ?? '', /backslash/);
  assert.deepEqual(checkJson('[1,'), {
    message: 'Unexpected end of the text: expected a value.',
    line: 1,
    column: 4,
  });
  assert.match(checkJson('"open')?.message ?? '', /no closing/);
});

test('a deeply nested text does not overflow the call stack', () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  assert.equal(scan(deep).length, 400_000);
});
