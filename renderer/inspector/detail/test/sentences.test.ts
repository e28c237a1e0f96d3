import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentences } from '../sentences.ts';

test('joined sentences end with one full stop each', () => {
  assert.equal(sentences('Leased by worker-2', 'Nothing was done.'), 'Leased by worker-2. Nothing was done.');
});
