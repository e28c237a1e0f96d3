import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactEvent } from '../redact-event.ts';

const hideToken = (event: unknown) => ({ ...(event as object), token: '•••' });

test('an event that redact leaves unchanged keeps its exact text', () => {
  const text = '{ "big": 12345678901234567890, "a": 1.50 }';
  assert.deepEqual(
    redactEvent(text, (event) => event),
    { text, isRedacted: false },
  );
});

test('a repeated key, of which redact sees only the last value, is not shown with the other values', () => {
  const hideIfPresent = (event: unknown) => ((event as { token: unknown }).token ? { token: '•••' } : event);
  assert.deepEqual(redactEvent('{"token":"s3cret", "token":null, "a:b":"\\"c\\":"}', hideIfPresent), {
    text: '{"token":null,"a:b":"\\"c\\":"}',
    isRedacted: true,
  });
});

test('an event that redact leaves unchanged can have colons and quotes in its strings', () => {
  const text = '{ "a:b": ["\\"c\\": 1", {}], "d": "\\\\" }';
  assert.deepEqual(
    redactEvent(text, (event) => event),
    { text, isRedacted: false },
  );
});

test('an event that redact changes is shown changed, and marked as redacted', () => {
  assert.deepEqual(redactEvent('{"token":"s3cret","n":1}', hideToken), {
    text: '{"token":"•••","n":1}',
    isRedacted: true,
  });
});

test('big numbers beside a hidden field keep their digits', () => {
  const { text } = redactEvent(
    '{"token":"s","id":12345678901234567890,"list":[{"x":1e400},0.10]}',
    hideToken,
  );
  assert.equal(text, '{"token":"•••","id":12345678901234567890,"list":[{"x":1e400},0.10]}');
});

test('an item of an array does not get the digits of an item that redact removed', () => {
  const removeFirst = (event: unknown) => (event as unknown[]).slice(1);
  const { text } = redactEvent('[12345678901234567811, 12345678901234567899, 2.50, {"n": 1.0}]', removeFirst);
  assert.equal(text, '[12345678901234567000,2.5,{"n":1}]');
});

test('a change is noticed when redact edits the event in place', () => {
  const redacted = redactEvent('{"token":"s3cret"}', (event) => {
    delete (event as { token?: string }).token;
    return event;
  });
  assert.deepEqual(redacted, { text: '{}', isRedacted: true });
});

test('the whole event is hidden when it is not JSON, and when redact throws or returns nothing', () => {
  const cases = [
    redactEvent('token=s3cret', hideToken),
    redactEvent('{"token":"s3cret"}', () => {
      throw new Error('s3cret');
    }),
    redactEvent('{"token":"s3cret"}', () => undefined),
  ];
  for (const { text, isRedacted } of cases) {
    assert.equal(isRedacted, true);
    assert.doesNotMatch(text, /s3cret/);
    assert.equal(typeof JSON.parse(text), 'string');
  }
});

test('a number that redact changes is shown with its new value', () => {
  const { text } = redactEvent('{"amount":12345678901234567890,"keep":12345678901234567891}', (event) => ({
    ...(event as object),
    amount: 0,
  }));
  assert.equal(text, '{"amount":0,"keep":12345678901234567891}');
});

test('an object with toJSON is written by it, and none of its other fields show', () => {
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
    redactEvent(text, (event) => new Safe(event)),
    { text: written, isRedacted: true },
  );
  assert.deepEqual(
    redactEvent(`{"inner":${text}}`, (event) => ({ inner: new Safe((event as { inner: unknown }).inner) })),
    { text: `{"inner":${written}}`, isRedacted: true },
  );
});

test('a value that JSON cannot hold hides the whole event', () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  for (const left of [circular, { big: 1n }])
    assert.deepEqual(
      redactEvent('{"a":1}', () => left),
      { text: '"(hidden: redact failed)"', isRedacted: true },
    );
});
