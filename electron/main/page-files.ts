/** Maps a URL to a file in a page's folder. It does not touch the disk. */
import { extname, join } from 'node:path';

const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

export interface PageFile {
  readonly path: string;
  readonly contentType: string;
}

/** Letters, digits, `_`, `-` and inner dots. Excludes empty, hidden and parent names, drives, and encoded separators. */
const NAME = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

/** The file of `address` in `folder`. Null for another origin, a name that no build produces, and an unknown type. */
export function pageFile(folder: string, origin: string, address: string): PageFile | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.origin !== origin || url.username || url.password) return null;
  // The path is matched while it is still percent-encoded: no name that a build produces needs encoding.
  const names = url.pathname.slice(1).split('/');
  if (!names.every((name) => NAME.test(name))) return null;
  const contentType = CONTENT_TYPES[extname(url.pathname)];
  return contentType ? { path: join(folder, ...names), contentType } : null;
}
