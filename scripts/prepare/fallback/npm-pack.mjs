import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../support/run.mjs';

/**
 * Downloads the tarball of a package from npm's registry. Nothing of the package runs.
 * @param {string} spec NAME@VERSION
 * @param {string} folder
 * @returns {Promise<string>} the path of the tarball
 */
export async function npmPack(spec, folder) {
  const destination = join(folder, 'pack');
  mkdirSync(destination);
  await run('npm', ['pack', spec, '--silent', '--ignore-scripts', '--pack-destination', destination], {
    cwd: folder,
  });
  const [name] = readdirSync(destination);
  if (name === undefined) throw new Error(`npm pack ${spec} produced no file.`);
  return join(destination, name);
}
