import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { violations } from './support/check-history.ts';
import { FALSIFICATIONS, judgeFalsified } from './support/falsifications.ts';
import { honestRun } from './support/honest-run.ts';

const honest = await honestRun();

describe('the judge of histories', () => {
  it('finds no fault in an honest history', () => {
    assert.deepEqual(violations(honest.lines, honest.rest), []);
  });

  for (const falsification of FALSIFICATIONS) {
    it(`finds that ${falsification[0]}`, () => {
      const { found, isCaught } = judgeFalsified(honest, falsification);
      assert.ok(isCaught, `found ${JSON.stringify(found.slice(0, 5))}`);
    });
  }
});
