// Where an Electron comes from, in this order: the one that the environment names, the official download, and for
// Linux x64 the fallback.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fallback, fallbackExecutable, fallbackIsSupported } from './fallback/cypress-electron.mjs';
import { inProject, node } from './paths.mjs';
import { attempt } from './run.mjs';
import { SetupError, say, step } from './say.mjs';

const DOWNLOAD_TIMEOUT_MS = 10 * 60 * 1000;
const folder = inProject('node_modules/electron');

const platformPath =
  process.platform === 'darwin'
    ? 'Electron.app/Contents/MacOS/Electron'
    : process.platform === 'win32'
      ? 'electron.exe'
      : 'electron';

function named() {
  const dist = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (!dist) return undefined;
  const path = join(dist, platformPath);
  if (!existsSync(path)) throw new SetupError(`ELECTRON_OVERRIDE_DIST_PATH is set, but there is no ${path}.`);
  return path;
}

function downloaded() {
  const path = join(folder, 'dist', platformPath);
  // The electron package writes path.txt when the download is unpacked.
  return existsSync(join(folder, 'path.txt')) && existsSync(path) ? path : undefined;
}

/** @returns {Promise<string | undefined>} */
async function download() {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { code, output } = await step(`Downloading Electron ${version}`, () =>
    attempt(node, [join(folder, 'install.js')], { timeoutMs: DOWNLOAD_TIMEOUT_MS }),
  );
  if (code === 0) return downloaded();
  const reason = output.split('\n').find((line) => /error/i.test(line)) ?? 'no answer in time';
  say(`Electron's download site is out of reach (${reason.trim()})`);
  return undefined;
}

/**
 * @param {string | undefined} lastTime the executable that the last set-up settled for
 * @returns {Promise<string>}
 */
export async function executable(lastTime) {
  const found = named() ?? downloaded();
  if (found !== undefined) return found;
  // Once the download has failed the fallback stays, until `npm ci` starts afresh.
  if (lastTime === fallbackExecutable && existsSync(lastTime)) return lastTime;
  const fresh = await download();
  if (fresh !== undefined) return fresh;
  if (fallbackIsSupported) return fallback();
  throw new SetupError(
    'Electron could not be downloaded. Let node_modules/electron/install.js reach its site (it honours ' +
      'ELECTRON_MIRROR and a proxy), or set ELECTRON_OVERRIDE_DIST_PATH to a folder that holds an unpacked Electron.',
  );
}
