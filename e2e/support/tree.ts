/** Real files to index, and the index that they must give. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Expected {
  readonly size: number;
  readonly sha256: string;
}

const KINDS = ['txt', 'md', 'png', 'ts', 'json', 'mp3', 'zip', 'bin', ''];
/** Each folder is one group of the queue. */
export const FOLDERS = [
  '',
  'letters',
  'photos/2023',
  'photos/2024',
  'source/app',
  'source/lib',
  'music',
  'backup',
  'misc/ünï',
];

/** Writes `count` files of several kinds and sizes, the same ones each time. Returns the size and hash of each by its path. */
export function makeTree(root: string, count: number): Map<string, Expected> {
  const expected = new Map<string, Expected>();
  for (let n = 0; n < count; n++) {
    const folder = FOLDERS[n % FOLDERS.length] as string;
    const kind = KINDS[Math.floor(n / FOLDERS.length) % KINDS.length] as string;
    const name = `file ${String(n).padStart(4, '0')}${kind && `.${kind}`}`;
    const path = folder ? `${folder}/${name}` : name;
    const content = contentOf(n);
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    expected.set(path, {
      size: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    });
  }
  return expected;
}

/** Most files are small. Every 50th needs several reads, and every 40th is empty. */
function contentOf(n: number): Buffer {
  if (n % 40 === 39) return Buffer.alloc(0);
  const line = `${n}: the quick brown fox jumps over the lazy dog\n`;
  return Buffer.from(line.repeat(n % 50 === 49 ? 20_000 : 1 + (n % 30)));
}

/**
 * A file that no user can read: a named pipe without a writer. File modes would not stop root. The other files of the folder wait
 * while the app retries it.
 */
export function makeUnreadable(root: string, path: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  execFileSync('mkfifo', [join(root, path)]);
}
