import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** The newest Node in the project: npm's package `node`, whatever Node the machine has. */
export const node = join(root, 'node_modules/.bin', process.platform === 'win32' ? 'node.cmd' : 'node');

/** What took long to make and does not depend on this checkout; it outlives `npm ci`. */
export const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'leasehold');

/** What the set-up found, for the launchers; it goes with node_modules, so that `npm ci` asks anew. */
export const record = join(root, 'node_modules/.cache/leasehold/runtime.json');

/** @param {string} path */
export const inProject = (path) => join(root, path);
