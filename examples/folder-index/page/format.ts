/** What the page says about a status, as text. */
import type { FolderIndexStatus } from '../main/contract.ts';

const NUMBER = new Intl.NumberFormat('en');
const PRECISE = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const number = (value: number) => NUMBER.format(Math.round(value));

/** Megabytes, with a decimal while they are few. */
export function megabytes(bytes: number): string {
  const value = bytes / 1_000_000;
  return `${value < 100 ? PRECISE.format(value) : number(value)} MB`;
}

export function perSecond(files: number): string {
  return files > 0 && files < 10 ? PRECISE.format(files) : number(files);
}

/** Files that are settled, one way or the other, of those that were found: 0 to 1. */
export function progress({ phase, found, indexed, failed }: FolderIndexStatus): number {
  if (phase === 'done') return 1;
  if (found === 0) return 0;
  // While the walk goes on there is more to come than was found: full would be a promise.
  return Math.min((indexed + failed) / found, phase === 'walking' ? 0.99 : 1);
}

export function headline({ phase, failed }: FolderIndexStatus): string {
  switch (phase) {
    case 'walking':
      return 'Looking for files and indexing them';
    case 'indexing':
      return 'Indexing';
    case 'paused':
      return 'Paused';
    case 'done':
      return failed > 0 ? 'Done, except for what failed' : 'Everything is indexed';
  }
}

export function tally({ phase, found, indexed }: FolderIndexStatus): string {
  const of = `${number(indexed)} of ${number(found)} ${found === 1 ? 'file' : 'files'}`;
  return phase === 'walking' ? `${of} found so far` : of;
}

export interface PathParts {
  readonly name: string;
  /** The folders above, relative to the indexed one; empty at its top. */
  readonly above: string;
}

export function pathParts(path: string, folder: string): PathParts {
  const inside = path.startsWith(folder) ? path.slice(folder.length) : path;
  const parts = inside.split(/[\\/]/).filter((part) => part !== '');
  return { name: parts.at(-1) ?? path, above: parts.slice(0, -1).join('/') };
}

export function folderName(folder: string): string {
  return (
    folder
      .split(/[\\/]/)
      .filter((part) => part !== '')
      .at(-1) ?? folder
  );
}
