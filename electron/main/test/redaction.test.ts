import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownEvent } from '../redaction.ts';

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

test('an object that says how it is to be written is written so, and shows none of its other fields', () => {
  class Safe {
    constructor(event: unknown) {
      Object.assign(this, event);
    }
    toJSON() {
      return { id: (this as unknown as { id: number }).id, at: new Date(0) };
    }
  }
  const text = '{"id":1,"password":"hunter2"}';
  const written = '{"id":1,"at":"1970-01-01T00:00:00.000Z"}';
  assert.deepEqual(
    shownEvent(text, (event) => new Safe(event)),
    { text: written, isRedacted: true },
  );
  assert.deepEqual(
    shownEvent(`{"inner":${text}}`, (event) => ({ inner: new Safe((event as { inner: unknown }).inner) })),
    {
      text: `{"inner":${written}}`,
      isRedacted: true,
    },
  );
});

test('what redact returns and JSON cannot hold hides that event alone', () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  for (const left of [circular, { big: 1n }])
    assert.deepEqual(
      shownEvent('{"a":1}', () => left),
      { text: '"(hidden: redact failed)"', isRedacted: true },
    );
});
