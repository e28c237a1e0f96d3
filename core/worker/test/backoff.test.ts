import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeBackoff } from '../contract/backoff.ts';

test('the backoff grows by its factor, up to its maximum', () => {
  const rule = makeBackoff({ initialMs: 100, factor: 3, maxMs: 1000, jitter: 0 });
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((attempt) => rule(attempt, null)),
    [100, 300, 900, 1000, 1000],
  );
});

test('jitter shortens a wait by at most its share and never lengthens it, whatever the attempt', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (attempt, jitter, chance) => {
        const full = makeBackoff({ jitter: 0 })(attempt, null);
        const wait = makeBackoff({ jitter }, () => chance)(attempt, null);
        assert.ok(wait <= full && wait >= full * (1 - jitter) && full <= 300_000);
      },
    ),
  );
});

test("a caller's own backoff function is used unchanged", () => {
  const rule = () => 7;
  assert.equal(makeBackoff(rule), rule);
});
