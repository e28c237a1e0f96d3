import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watched } from './support/watched.ts';

/** LEASEHOLD_SEED repeats the damage of one number. */
const { LEASEHOLD_SEED } = process.env;
const from = Number(LEASEHOLD_SEED ?? 1);
const damaged = (kind: string, count: number) =>
  watched('damaged-files', {
    from,
    to: from + (LEASEHOLD_SEED ? 1 : count),
    args: { kind, threadsEvery: LEASEHOLD_SEED ? 1 : 100, everything: LEASEHOLD_SEED !== undefined },
  });

describe('a damaged file', () => {
  it('with a flipped bit every call answers or raises an error of Leasehold, and returns', async () => {
    assert.deepEqual(await damaged('flip', 300), []);
  });

  it('with the file or its log cut short every call answers or raises an error of Leasehold, and returns', async () => {
    assert.deepEqual(await damaged('cut', 40), []);
  });
});
