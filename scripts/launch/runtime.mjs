// What is needed to launch the Electron that the set-up recorded.
import { readFileSync } from 'node:fs';
import { inProject, record, root } from '../prepare/support/paths.mjs';

/**
 * @typedef {object} Runtime
 * @property {string} root the project's folder
 * @property {string} app the path that opens the sample app: `electron APP FOLDER`
 * @property {string} executablePath
 * @property {string} version the version of Electron
 * @property {string[]} args arguments that must come before the app's path
 * @property {Record<string, string>} env additional environment variables
 * @property {boolean} needsXvfb true if there is no display
 */

/** @returns {Runtime} */
export function runtime() {
  let found;
  try {
    found = JSON.parse(readFileSync(record, 'utf8'));
  } catch (cause) {
    throw new Error('Electron is not set up: run `npm run prepare-only` first.', { cause });
  }
  return {
    root,
    app: inProject('dist/examples/folder-index/main/main.js'),
    executablePath: found.executablePath,
    version: found.version,
    // Chromium's sandbox does not run as root. Other users keep it.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    env: found.binding === null ? {} : { LEASEHOLD_SQLITE_BINDING: found.binding },
    needsXvfb: process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY,
  };
}
