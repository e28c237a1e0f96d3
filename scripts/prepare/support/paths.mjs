import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The project's own Node, from the npm package `node`. It does not depend on the Node of the machine. */
export const node = join(root, 'node_modules/.bin', process.platform === 'win32' ? 'node.cmd' : 'node');

/** Holds results that are slow to produce and the same for every checkout. It survives `npm ci`. */
export const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'leasehold');

/** Records the Electron that was set up, for the launchers. It is in node_modules, so that `npm ci` deletes it. */
export const record = join(root, 'node_modules/.cache/leasehold/runtime.json');

/** @param {string} path */
export const inProject = (path) => join(root, path);
