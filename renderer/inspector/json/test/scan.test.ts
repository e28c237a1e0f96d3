import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkJson, scan } from '../scan.ts';

test('numbers keep every digit', () => {
  const text = '[9007199254740993,-0,1.10,1e400]';
  assert.deepEqual(
    scan(text)
      .filter((token) => token.kind === 'number')
      .map((token) => token.text),
    ['9007199254740993', '-0', '1.10', '1e400'],
  );
});

test('keys and strings are told apart, and the tokens are the text without its white space', () => {
  const text = ' { "a" : "b" , "c" : [ true , null , {} , [] ] } ';
  const tokens = scan(text);
  assert.equal(tokens.map((token) => token.text).join(''), text.replaceAll(' ', ''));
  assert.deepEqual(
    tokens.filter((token) => token.kind === 'key').map((token) => token.text),
    ['"a"', '"c"'],
  );
});

test('what JSON.parse accepts is accepted, and what it refuses is refused', () => {
  const texts = [
    '1', '-1.5e-3', '""', '"\\u00e9\\n"', 'null', '[]', '{}', '[[],{}]', '{"a":{"b":[1,2]}}', '"\u2028"',
    '', ' ', '01', '1.', '.5', '+1', '-', '1e', 'tru', 'truex', 'NaN', "'a'", '"a', '"\\x"', '"\n"', '[1,]', '[,1]',
    '{"a"}', '{"a":}', '{"a":1,}', '{a:1}', '[1 2]', '{"a":1 "b":2}', '1 2', '[', '{', ']', '}', '[}', '{]',
    '{"a":1]', '"\\u12"', '\ufeff1', '\u00a01',
  ]; // biome-ignore format: one line each would hide the list
  for (const text of texts) {
    let sound = true;
    try {
      JSON.parse(text);
    } catch {
      sound = false;
    }
    assert.equal(checkJson(text) === null, sound, JSON.stringify(text));
  }
});

test('a mistake is named with its line and column', () => {
  assert.deepEqual(checkJson('{\n  "a": 1,\n}'), {
    message: '“}” stands where a key in double quotes should.',
    line: 3,
    column: 1,
  });
  assert.deepEqual(checkJson('{"a": nope}'), {
    message: '“nope” stands where a value should.',
    line: 1,
    column: 7,
  });
  assert.match(checkJson('{"path": "C:\\Users"}')?.message ?? '', /backslash/);
  assert.match(checkJson('"open')?.message ?? '', /not closed/);
});

test('deep nesting does not overflow the stack', () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  assert.equal(scan(deep).length, 400_000);
});
