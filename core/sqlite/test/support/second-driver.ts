/** A second copy of better-sqlite3, as an app has that installs another version than Leasehold's. */
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type Database from 'better-sqlite3';

const require = createRequire(import.meta.url);

/** Copies the package into `folder` and loads it from there. */
export function secondDriver(folder: string): typeof Database {
  const original = dirname(require.resolve('better-sqlite3/package.json'));
  const copy = join(folder, 'node_modules/better-sqlite3');
  for (const part of ['package.json', 'lib', 'prebuilds'])
    cpSync(join(original, part), join(copy, part), { recursive: true });
  return createRequire(join(folder, 'app.js'))('better-sqlite3');
}
