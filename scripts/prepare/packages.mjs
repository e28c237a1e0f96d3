// This step runs on the Node of the machine, so it must run on Node 20.
import { existsSync, readFileSync } from 'node:fs';
import { step } from './support/log.mjs';
import { inProject, node } from './support/paths.mjs';
import { run } from './support/run.mjs';

/** @typedef {{ version?: string, integrity?: string, optional?: boolean }} Entry */

/**
 * @param {string} path
 * @returns {Record<string, Entry>}
 */
const entries = (path) => JSON.parse(readFileSync(path, 'utf8')).packages;

/**
 * True if the installed packages are those of the lock file, by the record that npm writes at the end of an installation. This
 * also detects what a developer installed or changed with npm, which a stamp of our own would not. Packages for other platforms
 * are optional and may be absent.
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

/** Installs the packages of package-lock.json, unless they are installed. */
export async function packages() {
  if (areInstalled()) return;
  await step('Installing the packages (npm ci)', () =>
    // At this level npm hides the warning that some tools need a newer Node: they run on the project's own (paths.mjs).
    run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: inProject('.') }),
  );
}
