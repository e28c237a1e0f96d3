// Finds an Electron, installs what it lacks on this machine, and records it for the launchers.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { executable } from './executable.mjs';
import { sqliteBinding } from './fallback/index.mjs';
import { libraries } from './libraries.mjs';
import { record } from './support/paths.mjs';
import { run } from './support/run.mjs';

/**
 * @typedef {object} Runtime
 * @property {string} executablePath
 * @property {number} modified the modification time of the executable, which changes when it is replaced
 * @property {string} version the version of Electron
 * @property {number} napi its version of Node-API
 * @property {string | null} binding a better-sqlite3 binary for this Electron; null if the installed one works
 */

/** @returns {Runtime | undefined} */
function lastRecord() {
  try {
    return JSON.parse(readFileSync(record, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {string} executablePath */
async function versionsOf(executablePath) {
  const print = 'console.log(JSON.stringify([process.versions.electron, process.versions.napi]))';
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  const output = await run(executablePath, ['-e', print], { env });
  const [version, napi] = JSON.parse(output.slice(output.indexOf('[')));
  return { version: String(version), napi: Number(napi) };
}

export async function electron() {
  const last = lastRecord();
  const executablePath = await executable(last?.executablePath);
  await libraries(executablePath);
  const modified = statSync(executablePath).mtimeMs;
  const isUnchanged = last?.executablePath === executablePath && last.modified === modified;
  const { version, napi } = isUnchanged ? last : await versionsOf(executablePath);
  const binding = await sqliteBinding(executablePath, { version, napi });
  mkdirSync(dirname(record), { recursive: true });
  writeFileSync(record, JSON.stringify({ executablePath, modified, version, napi, binding }));
}
