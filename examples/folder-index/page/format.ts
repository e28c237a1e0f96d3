/** Formats a status as text. */
import type { FolderIndexStatus } from '../shared/bridge.ts';

const NUMBER = new Intl.NumberFormat('en');
const PRECISE = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const number = (value: number) => NUMBER.format(Math.round(value));

/** In megabytes, with one decimal below 100. */
export function megabytes(bytes: number): string {
  const value = bytes / 1_000_000;
  return `${value < 100 ? PRECISE.format(value) : number(value)} MB`;
}

export function perSecond(files: number): string {
  return files > 0 && files < 10 ? PRECISE.format(files) : number(files);
}

/** The share of found files that are indexed or failed, 0 to 1. */
export function progress({ phase, found, indexed, failed }: FolderIndexStatus): number {
  if (phase === 'done') return 1;
  if (found === 0) return 0;
  // During the walk the number of files is not known yet, so the bar is never full.
  return Math.min((indexed + failed) / found, phase === 'walking' ? 0.99 : 1);
}

export function headline({ phase, failed }: FolderIndexStatus): string {
  switch (phase) {
    case 'walking':
      return 'Finding and indexing files';
    case 'indexing':
      return 'Indexing';
    case 'paused':
      return 'Paused';
    case 'done':
      return failed > 0 ? 'Done, some files failed' : 'Everything is indexed';
  }
}

export function tally({ phase, found, indexed }: FolderIndexStatus): string {
  const of = `${number(indexed)} of ${number(found)} ${found === 1 ? 'file' : 'files'}`;
  return phase === 'walking' ? `${of} found so far` : of;
}

export interface PathParts {
  readonly name: string;
  /** The parent folders, relative to the indexed folder. Empty for a file at its top. */
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
