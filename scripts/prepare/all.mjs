// Everything between `npm ci` and a start, each step only where it is needed. Run by the project's own Node.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { build } from './build.mjs';
import { executable } from './executable.mjs';
import { sqliteBinding } from './fallback/rebuilt-addon.mjs';
import { libraries } from './libraries.mjs';
import { alone } from './lock.mjs';
import { record } from './paths.mjs';
import { run } from './run.mjs';
import { SetupError } from './say.mjs';

/**
 * @typedef {object} Runtime
 * @property {string} executablePath
 * @property {number} modified the executable's time, by which a replaced one is noticed
 * @property {string} version Electron's
 * @property {number} napi
 * @property {string | null} binding a better-sqlite3 binary for this Electron, where the installed one cannot load
 */

/** @returns {Runtime | undefined} */
function lastTime() {
  try {
    return JSON.parse(readFileSync(record, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {string} path */
async function versions(path) {
  const print = 'console.log(JSON.stringify([process.versions.electron, process.versions.napi]))';
  const output = await run(path, ['-e', print], { env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' } });
  const [version, napi] = JSON.parse(output.slice(output.indexOf('[')));
  return { version: String(version), napi: Number(napi) };
}

async function electron() {
  const last = lastTime();
  const executablePath = await executable(last?.executablePath);
  await libraries(executablePath);
  const modified = statSync(executablePath).mtimeMs;
  const isKnown = last?.executablePath === executablePath && last.modified === modified;
  const { version, napi } = isKnown ? last : await versions(executablePath);
  const binding = await sqliteBinding(executablePath, { version, napi });
  mkdirSync(dirname(record), { recursive: true });
  writeFileSync(record, JSON.stringify({ executablePath, modified, version, napi, binding }));
}

try {
  await alone(async () => {
    await electron();
    await build();
  });
} catch (error) {
  console.error(error instanceof SetupError ? `\n${error.message}` : error);
  process.exitCode = 1;
}
