import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from './paths.mjs';
import { run } from './run.mjs';
import { step } from './say.mjs';

const INPUTS = [
  'core',
  'electron',
  'renderer',
  'examples',
  'vite.config.ts',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
];
const stamp = inProject('dist/.inputs');

/**
 * @param {string} path in the project
 * @returns {string[]}
 */
function files(path) {
  if (!existsSync(inProject(path))) return [];
  if (!statSync(inProject(path)).isDirectory()) return [path];
  return readdirSync(inProject(path))
    .sort()
    .flatMap((name) => files(join(path, name)));
}

function fingerprint() {
  const hash = createHash('sha256');
  for (const path of INPUTS.flatMap(files)) {
    if (path.includes('.test.')) continue;
    // Names and lengths go in too, so that no two trees read the same.
    const content = readFileSync(inProject(path));
    hash.update(`${path}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

/** Builds the app (`npm run build`) if a source changed since the last build. */
export async function build() {
  const inputs = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs) return;
  await step('Building the app', () => run('npm', ['run', 'build', '--silent'], { cwd: inProject('.') }));
  // Written last: a build that broke off is done again.
  writeFileSync(stamp, inputs);
}
