// Electron needs desktop libraries and a display. Servers and containers have neither, whatever the source of their Electron.
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { installSystemPackages } from './support/debian.mjs';
import { SetupError } from './support/log.mjs';
import { attempt } from './support/run.mjs';

const LIBRARY_PACKAGES = ['libgtk-3-0', 'libnss3', 'libgbm1', 'libasound2'];

/** @param {string} lddOutput */
export function missingIn(lddOutput) {
  const missing = [...lddOutput.matchAll(/^\s*(\S+) => not found$/gm)].map((match) => match[1] ?? '');
  return [...new Set(missing)].sort();
}

/** @param {string} executable */
async function missingLibraries(executable) {
  const folder = dirname(executable);
  const shared = readdirSync(folder).filter((name) => name.endsWith('.so'));
  const { code, output } = await attempt('ldd', [executable, ...shared.map((name) => join(folder, name))]);
  if (code === null) return [];
  const missing = missingIn(output);
  // Newer versions of Electron load GTK at run time, which ldd does not show.
  if (!output.includes('libgtk-')) {
    const known = await attempt('/sbin/ldconfig', ['-p']);
    if (known.code === 0 && !known.output.includes('libgtk-3.so.0')) missing.push('libgtk-3.so.0');
  }
  return missing;
}

/** @param {string} command */
const isOnPath = (command) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)));

/**
 * Installs the shared libraries that Electron lacks, and a virtual display if there is no display.
 * @param {string} executable
 */
export async function libraries(executable) {
  if (process.platform !== 'linux') return;
  const missing = await missingLibraries(executable);
  if (missing.length > 0) {
    await installSystemPackages(`Electron lacks ${missing.join(', ')}`, LIBRARY_PACKAGES);
    const stillMissing = await missingLibraries(executable);
    if (stillMissing.length > 0) throw new SetupError(`Electron still lacks ${stillMissing.join(', ')}.`);
  }
  const hasDisplay = Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
  if (!hasDisplay && !isOnPath('Xvfb')) {
    await installSystemPackages('There is no display, and Xvfb is not installed', ['xvfb', 'xauth']);
  }
}
