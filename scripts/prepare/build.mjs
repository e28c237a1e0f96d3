import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { step } from './support/log.mjs';
import { inProject } from './support/paths.mjs';
import { run } from './support/run.mjs';

const INPUTS = [
  'core',
  'electron',
  'renderer',
  'examples',
  'vite.config.ts',
  'scripts/tsconfig.library.json',
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
    if (/[\\/]test[\\/]/.test(path)) continue;
    // The hash includes names and lengths, so that two trees cannot give the same input.
    const content = readFileSync(inProject(path));
    hash.update(`${path}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

/** Builds the library and the sample app (`npm run build`) if a source changed since the last build. */
export async function build() {
  const inputs = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs) return;
  await step('Building the library and the sample app', () =>
    run('npm', ['run', 'build', '--silent'], { cwd: inProject('.') }),
  );
  // Written last, so that an interrupted build runs again.
  writeFileSync(stamp, inputs);
}
