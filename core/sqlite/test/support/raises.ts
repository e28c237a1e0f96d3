import assert from 'node:assert/strict';
import { type ErrorCode, LeaseholdError } from '../../../index.ts';

/** Raises this code, in a message that names the file and says enough to act on. */
export function raises(run: () => unknown, code: ErrorCode, path: string): void {
  assert.throws(run, (error) => {
    assert.ok(error instanceof LeaseholdError, String(error));
    assert.equal(error.code, code, error.message);
    assert.ok(error.message.includes(path), `names the file: ${error.message}`);
    assert.ok(error.message.length > path.length + 20, `says what to do: ${error.message}`);
    return true;
  });
}
