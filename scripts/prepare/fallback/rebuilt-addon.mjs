// The binary of better-sqlite3 needs Node-API 10 (Node 22.14, Electron 35). For an older Electron this builds another one, from
// the same source with one more header. node_modules is not changed.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installSystemPackages } from '../support/debian.mjs';
import { SetupError, step } from '../support/log.mjs';
import { makeFolder } from '../support/make-folder.mjs';
import { cache, inProject, node } from '../support/paths.mjs';
import { attempt, run } from '../support/run.mjs';
import { npmPack } from './npm-pack.mjs';

const NEEDED_NAPI = 10;
const OLDEST_NAPI = 9;
const header = fileURLToPath(new URL('napi9.h', import.meta.url));
const source = inProject('node_modules/better-sqlite3');

async function installTools() {
  /** @type {string[]} */
  const missing = [];
  for (const tool of ['make', 'g++', 'python3']) {
    if ((await attempt(tool, ['--version'])).code !== 0) missing.push(tool);
  }
  if (missing.length > 0)
    await installSystemPackages(`The build of better-sqlite3 needs ${missing.join(', ')}`, missing);
}

async function nodeGyp() {
  const own = join(
    (await run('npm', ['root', '--global'])).trim(),
    'npm/node_modules/node-gyp/bin/node-gyp.js',
  );
  return existsSync(own)
    ? { command: node, args: [own] }
    : { command: 'npx', args: ['--yes', 'node-gyp@12'] };
}

/**
 * Downloads Node's headers with npm, because node-gyp's own download needs another site.
 * @param {string} folder
 */
async function fetchHeaders(folder) {
  const { version } = JSON.parse(readFileSync(inProject('node_modules/node/package.json'), 'utf8'));
  const archive = await npmPack(`node-${process.platform}-${process.arch}@${version}`, folder);
  await run('tar', ['-xzf', archive, '-C', folder, 'package/include']);
  return join(folder, 'package');
}

/**
 * @param {string} folder
 * @param {number} napi
 * @param {string} electron
 */
async function build(folder, napi, electron) {
  const copy = join(folder, 'node_modules/better-sqlite3');
  cpSync(source, copy, { recursive: true });
  cpSync(inProject('node_modules/node-addon-api'), join(folder, 'node_modules/node-addon-api'), {
    recursive: true,
  });
  const { command, args } = await nodeGyp();
  const flags = ['rebuild', '--release', '--force_build=1', `--nodedir=${await fetchHeaders(folder)}`];
  await run(command, [...args, ...flags, '--jobs', String(availableParallelism())], {
    cwd: copy,
    env: {
      ...process.env,
      // node-gyp starts `node` by name, and needs the project's own.
      PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
      CXXFLAGS: `-UNAPI_VERSION -DNAPI_VERSION=${napi} -include ${header}`,
    },
  });
  const done = join(folder, 'done');
  mkdirSync(done);
  const binary = join(done, 'better_sqlite3.node');
  renameSync(join(copy, 'build/Release/better_sqlite3.node'), binary);
  const check = `const D = require(${JSON.stringify(source)});
    new D(':memory:', { nativeBinding: ${JSON.stringify(binary)} }).prepare('select ? as one').get(1).one === 1 || process.exit(1);`;
  await run(electron, ['-e', check], { env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' } });
  return done;
}

/**
 * @param {string} electron
 * @param {{ napi: number, version: string }} runtime
 * @returns {Promise<string | null>} the path of a binary for this Electron, or null if the installed one works
 */
export async function sqliteBinding(electron, { napi, version }) {
  if (napi >= NEEDED_NAPI) return null;
  if (napi < OLDEST_NAPI)
    throw new SetupError(`Electron ${version} is too old for better-sqlite3, which needs 27 or later.`);
  const { version: sqliteVersion } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const recipe = createHash('sha256').update(readFileSync(header)).digest('hex').slice(0, 8);
  const target = join(
    cache,
    `better-sqlite3-${sqliteVersion}-${process.platform}-${process.arch}-napi${napi}-${recipe}`,
  );
  if (!existsSync(target)) {
    await installTools();
    await step(`Building better-sqlite3 ${sqliteVersion} for Electron ${version} (a minute or two)`, () =>
      makeFolder(target, (folder) => build(folder, napi, electron)),
    );
  }
  return join(target, 'better_sqlite3.node');
}
