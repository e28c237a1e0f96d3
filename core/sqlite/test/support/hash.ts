import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A hash of a file's content, to detect any change. */
export function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
