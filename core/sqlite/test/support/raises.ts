import assert from 'node:assert/strict';
import { type ErrorCode, LeaseholdError } from '../../../index.ts';

/** Asserts that `run` raises this code, with a message that names the file and is long enough to contain a remedy. */
export function raises(run: () => unknown, code: ErrorCode, path: string): void {
  assert.throws(run, (error) => {
    assert.ok(error instanceof LeaseholdError, String(error));
    assert.equal(error.code, code, error.message);
    assert.ok(error.message.includes(path), `names the file: ${error.message}`);
    assert.ok(error.message.length > path.length + 20, `says what to do: ${error.message}`);
    return true;
  });
}
