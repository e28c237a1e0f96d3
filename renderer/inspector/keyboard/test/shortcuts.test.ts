import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyCap, SHORTCUT_LINES, shortcutOf } from '../shortcuts.ts';

test('every key in the help has exactly one shortcut', () => {
  const entries = SHORTCUT_LINES.flatMap(({ keys }) => Object.entries(keys));
  assert.equal(new Set(entries.map(([, key]) => key)).size, entries.length);
  for (const [name, key] of entries) assert.equal(shortcutOf(key), name);
});

test('a key without a shortcut has no name', () => {
  assert.equal(shortcutOf('x'), undefined);
  assert.equal(shortcutOf('constructor'), undefined);
});

test('the help shows what is printed on a key', () => {
  assert.deepEqual(['PageDown', ' ', 'j'].map(keyCap), ['PgDn', 'Space', 'j']);
});
