// Finds an Electron: the one that ELECTRON_OVERRIDE_DIST_PATH names, else the official download, else the fallback.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fallbackElectron, fallbackExecutable, isFallbackSupported } from './fallback/index.mjs';
import { log, SetupError, step } from './support/log.mjs';
import { inProject, node } from './support/paths.mjs';
import { attempt } from './support/run.mjs';

const DOWNLOAD_TIMEOUT_MS = 10 * 60 * 1000;
const folder = inProject('node_modules/electron');

const platformPath =
  process.platform === 'darwin'
    ? 'Electron.app/Contents/MacOS/Electron'
    : process.platform === 'win32'
      ? 'electron.exe'
      : 'electron';

function override() {
  const dist = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (!dist) return undefined;
  const path = join(dist, platformPath);
  if (!existsSync(path)) throw new SetupError(`ELECTRON_OVERRIDE_DIST_PATH is set, but there is no ${path}.`);
  return path;
}

function downloaded() {
  const path = join(folder, 'dist', platformPath);
  // The electron package writes path.txt after it has unpacked the download.
  return existsSync(join(folder, 'path.txt')) && existsSync(path) ? path : undefined;
}

/** @returns {Promise<string | undefined>} */
async function download() {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { code, output } = await step(`Downloading Electron ${version}`, () =>
    attempt(node, [join(folder, 'install.js')], { timeoutMs: DOWNLOAD_TIMEOUT_MS }),
  );
  if (code === 0) return downloaded();
  const reason = output.split('\n').find((line) => /error/i.test(line)) ?? 'time-out';
  log(`Electron cannot be downloaded (${reason.trim()})`);
  return undefined;
}

/**
 * @param {string | undefined} last the executable that the last set-up used
 * @returns {Promise<string>}
 */
export async function executable(last) {
  const found = override() ?? downloaded();
  if (found !== undefined) return found;
  // After a failed download the fallback stays in use until `npm ci` deletes the record.
  if (last === fallbackExecutable && existsSync(last)) return last;
  const fetched = await download();
  if (fetched !== undefined) return fetched;
  if (isFallbackSupported) return fallbackElectron();
  throw new SetupError(
    'Electron cannot be downloaded. Give node_modules/electron/install.js access to its site (ELECTRON_MIRROR or a ' +
      'proxy), or set ELECTRON_OVERRIDE_DIST_PATH to a folder with an unpacked Electron.',
  );
}
