import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownEvent } from './redaction.ts';

const withoutToken = (event: unknown) => ({ ...(event as object), token: '•••' });

test('without redact the text stays as it is, JSON or not', () => {
  for (const text of ['{ "a" : 1.0 }', '{"a":', ''])
    assert.deepEqual(shownEvent(text, undefined), { text, isRedacted: false });
});

test('an event that redact leaves alone keeps its text to the letter', () => {
  const text = '{ "big": 12345678901234567890, "a": 1.50 }';
  assert.deepEqual(
    shownEvent(text, (event) => event),
    { text, isRedacted: false },
  );
});

test('what redact changes is shown changed, and said to be', () => {
  assert.deepEqual(shownEvent('{"token":"s3cret","n":1}', withoutToken), {
    text: '{"token":"•••","n":1}',
    isRedacted: true,
  });
});

test('big numbers beside a hidden field stay exact', () => {
  const shown = shownEvent('{"token":"s","id":12345678901234567890,"list":[{"x":1e400},0.10]}', withoutToken);
  assert.equal(shown.text, '{"token":"•••","id":12345678901234567890,"list":[{"x":1e400},0.10]}');
});

test('a redact that edits the event in place is noticed', () => {
  const shown = shownEvent('{"token":"s3cret"}', (event) => {
    delete (event as { token?: string }).token;
    return event;
  });
  assert.deepEqual(shown, { text: '{}', isRedacted: true });
});

test('nothing shows of text that is no JSON, nor when redact throws or returns nothing', () => {
  const cases = [
    shownEvent('token=s3cret', withoutToken),
    shownEvent('{"token":"s3cret"}', () => {
      throw new Error('s3cret');
    }),
    shownEvent('{"token":"s3cret"}', () => undefined),
  ];
  for (const { text, isRedacted } of cases) {
    assert.equal(isRedacted, true);
    assert.doesNotMatch(text, /s3cret/);
    assert.equal(typeof JSON.parse(text), 'string');
  }
});

test('a number that redact changed is shown as changed', () => {
  const shown = shownEvent('{"amount":12345678901234567890,"keep":12345678901234567891}', (event) => ({
    ...(event as object),
    amount: 0,
  }));
  assert.equal(shown.text, '{"amount":0,"keep":12345678901234567891}');
});
