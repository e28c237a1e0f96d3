// What a launcher has to know of the Electron that the set-up found.
import { readFileSync } from 'node:fs';
import { record, root } from './prepare/paths.mjs';

/**
 * @typedef {object} Runtime
 * @property {string} root the folder to open as the app (its package.json names the main file)
 * @property {string} executablePath
 * @property {string} version Electron's
 * @property {string[]} args what goes before the app's folder
 * @property {Record<string, string>} env what to add to the environment
 * @property {boolean} needsXvfb true if there is no display to open windows on
 */

/** @returns {Runtime} */
export function runtime() {
  let found;
  try {
    found = JSON.parse(readFileSync(record, 'utf8'));
  } catch (cause) {
    throw new Error('No Electron has been set up: run `npm run prepare-only` first.', { cause });
  }
  return {
    root,
    executablePath: found.executablePath,
    version: found.version,
    // Chromium's sandbox refuses to run as root; nobody else is to be without it.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    env: found.binding === null ? {} : { LEASEHOLD_SQLITE_BINDING: found.binding },
    needsXvfb: process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY,
  };
}
