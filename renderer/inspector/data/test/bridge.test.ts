import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAnswer, isFinal } from '../bridge.ts';

const failed = (code: string) => ({ ok: false, error: { code, message: 'Open a new transport.' } }) as const;

test('a page says what a person can do after the file was replaced, and that no further try helps', async () => {
  const answer = await asAnswer(Promise.resolve(failed('FILE_REPLACED')));
  assert.ok(!answer.ok && isFinal(answer.error));
  assert.match(answer.error.message, /Start the app again/);
});

test('a page passes on the text of every other error, which a further try may cure', async () => {
  const answer = await asAnswer(Promise.resolve(failed('BUSY')));
  assert.ok(!answer.ok && !isFinal(answer.error));
  assert.equal(answer.error.message, 'Open a new transport.');
});
