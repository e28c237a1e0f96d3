// Two set-ups of one checkout at a time would install and build over each other: the second one waits.
import { createHash } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from './paths.mjs';
import { say } from './say.mjs';

const POLL_MS = 200;
const LIMIT_MS = 20 * 60 * 1000;
const file = join(
  tmpdir(),
  `leasehold-setup-${createHash('sha256').update(root).digest('hex').slice(0, 16)}.lock`,
);

/** @param {unknown} error */
const codeOf = (error) => /** @type {NodeJS.ErrnoException} */ (error).code;

function take() {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    // A link appears at once with its content, where a file made in place would be empty for a moment.
    linkSync(own, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own);
  }
}

/** A holder that was killed leaves its file, and a later process may by chance have its id: hence the limit. */
function isAbandoned() {
  try {
    if (Date.now() - statSync(file).mtimeMs > LIMIT_MS) return true;
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return false;
  } catch (error) {
    // ESRCH: no such process. Else it is another user's (EPERM), or was released just now (ENOENT).
    return codeOf(error) === 'ESRCH';
  }
}

/**
 * Does the work while no other process of this checkout does such work.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function alone(work) {
  let told = false;
  while (!take()) {
    if (isAbandoned()) rmSync(file, { force: true });
    else if (!told) say('Waiting for another set-up of this folder to end');
    told = true;
    await delay(POLL_MS);
  }
  const release = () => rmSync(file, { force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    release();
    process.off('exit', release);
  }
}
