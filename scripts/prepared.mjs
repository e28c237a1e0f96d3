// `node scripts/prepared.mjs [FILE [ARGUMENT...]]` installs packages, Electron and a build, and then runs FILE on the project's
// own Node. It runs on the Node of the machine before anything is installed: built-in modules only, and only what Node 20 has.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packages } from './prepare/packages.mjs';
import { withLock } from './prepare/support/lock.mjs';
import { SetupError } from './prepare/support/log.mjs';
import { inProject, node } from './prepare/support/paths.mjs';

const PARENT_POLL_MS = 500;

/**
 * Runs a file on the project's own Node. Resolves with its exit code.
 * @param {string} file
 * @param {string[]} args
 * @returns {Promise<number>}
 */
function runFile(file, args) {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const child = spawn(node, [file, ...args], { stdio: 'inherit', env, shell: process.platform === 'win32' });
  // The child handles signals. This process only waits until it ends.
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const forward = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  // npm sends a signal to the shell that runs this process. The shell ends without passing it on.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent && process.env.npm_lifecycle_event !== undefined) child.kill('SIGTERM');
  }, PARENT_POLL_MS);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearInterval(watch);
      for (const name of signals) process.off(name, forward);
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}

const [path, ...args] = process.argv.slice(2);

async function main() {
  const file = path === undefined ? undefined : inProject(path);
  if (file !== undefined && !existsSync(file)) throw new SetupError(`There is no file ${path} to run.`);
  await withLock(packages);
  const code = await runFile(fileURLToPath(new URL('prepare/main.mjs', import.meta.url)), []);
  if (code !== 0) throw new SetupError('The set-up failed. The reason is above.');
  return file === undefined ? 0 : runFile(file, args);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof SetupError ? `\n${error.message}` : error);
  // The last line of a test run is always a count.
  if (path === 'scripts/test.ts') console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
