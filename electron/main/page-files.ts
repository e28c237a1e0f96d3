/** Which file of a page's folder an address means. Pure: what it refuses never reaches the disk. */
import { extname, join } from 'node:path';

const TYPES: Record<string, string> = {
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

/** Letters, digits, `_`, `-` and inner dots: no empty, hidden or parent name, no drive, no separator in disguise. */
const NAME = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

/** The file behind `address` in `folder`, or null: another origin, a name that a build never makes, an unknown type. */
export function pageFile(folder: string, origin: string, address: string): PageFile | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.origin !== origin || url.username || url.password) return null;
  // The path is compared as it stands, still percent-encoded: no name that a build makes needs encoding.
  const names = url.pathname.slice(1).split('/');
  if (!names.every((name) => NAME.test(name))) return null;
  const contentType = TYPES[extname(url.pathname)];
  return contentType ? { path: join(folder, ...names), contentType } : null;
}
