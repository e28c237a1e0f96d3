// The one step that meets the machine's own Node: it uses nothing newer than Node 20.
import { existsSync, readFileSync } from 'node:fs';
import { inProject, node } from './paths.mjs';
import { run } from './run.mjs';
import { step } from './say.mjs';

/** @typedef {{ version?: string, integrity?: string, optional?: boolean }} Entry */

/**
 * @param {string} path
 * @returns {Record<string, Entry>}
 */
const entries = (path) => JSON.parse(readFileSync(path, 'utf8')).packages;

/**
 * True if node_modules is what the lock asks for, by npm's own record of what it installed, which npm writes last.
 * Comparing beats a stamp of ours: a tree that a developer installed by hand is accepted, and one that an
 * `npm install` changed is not. A package for another platform is optional, and absent.
 * @param {Record<string, Entry>} wanted
 * @param {Record<string, Entry>} installed
 */
export function matches(wanted, installed) {
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true;
    const found = installed[path];
    if (found === undefined) return entry.optional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

function areInstalled() {
  const installed = inProject('node_modules/.package-lock.json');
  if (!existsSync(installed) || !existsSync(node)) return false;
  return matches(entries(inProject('package-lock.json')), entries(installed));
}

/** Installs the packages of package-lock.json, unless they are there. */
export async function packages() {
  if (areInstalled()) return;
  await step('Installing the packages (npm ci)', () =>
    // At this level npm leaves out that some tools want a newer Node than the machine's: they get it (see paths.mjs).
    run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: inProject('.') }),
  );
}
