// `node scripts/prepared.mjs [script] [arguments]` sees to packages, Electron and a build, and then runs
// scripts/<script>.ts. It is what a bare machine meets first: built-in modules only, and nothing newer than Node 20.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { alone } from './prepare/lock.mjs';
import { packages } from './prepare/packages.mjs';
import { inProject, node } from './prepare/paths.mjs';
import { SetupError } from './prepare/say.mjs';

const PARENT_POLL_MS = 500;

/**
 * Runs a file with the project's Node, whatever `node` means to the shell, and tells its exit code.
 * @param {string} file
 * @param {string[]} args
 * @returns {Promise<number>}
 */
function runFile(file, args) {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const child = spawn(node, [file, ...args], { stdio: 'inherit', env, shell: process.platform === 'win32' });
  // A signal is the child's to answer; this process only waits for it to end.
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const forward = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  // npm passes a signal to the shell between it and this process, and that shell dies of it without passing it on.
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

const [script, ...args] = process.argv.slice(2);

async function main() {
  const file = script === undefined ? undefined : inProject(`scripts/${script}.ts`);
  if (file !== undefined && !existsSync(file))
    throw new SetupError(`There is no scripts/${script}.ts to run.`);
  await alone(packages);
  const code = await runFile(fileURLToPath(new URL('prepare/all.mjs', import.meta.url)), []);
  if (code !== 0) throw new SetupError('The set-up did not succeed; the reason is above.');
  return file === undefined ? 0 : runFile(file, args);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof SetupError ? `\n${error.message}` : error);
  // Whoever reads the last line of a test run finds a count there, come what may.
  if (script === 'test') console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
