// Electron is linked against desktop libraries that a server or a container lacks.
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { installSystemPackages } from './debian.mjs';
import { attempt } from './run.mjs';
import { SetupError } from './say.mjs';

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
  // A newer Electron loads GTK by name when it starts, where ldd does not see it.
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
 * Sees to the shared libraries of Electron, and to a virtual display where there is no other.
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
    await installSystemPackages('There is no display, and no Xvfb to stand in for one', ['xvfb', 'xauth']);
  }
}
