import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** What a file holds, as one short text: equal before and after means untouched. */
export function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
