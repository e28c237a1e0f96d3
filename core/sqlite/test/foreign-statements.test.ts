import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watched } from './support/watched.ts';

/** LEASEHOLD_SEED repeats the program of one seed. */
const { LEASEHOLD_SEED } = process.env;
const from = Number(LEASEHOLD_SEED ?? 1);
const to = from + (LEASEHOLD_SEED ? 1 : 80);

describe('statements of another program', () => {
  it('a claim takes the message that the SELECT of the specification names, whatever another program wrote', async () => {
    assert.deepEqual(await watched('foreign-programs', { from, to }), []);
  });
});
