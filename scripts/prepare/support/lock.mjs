// Two set-ups of one checkout would overwrite each other's packages and builds, so the second one waits.
import { createHash } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { log } from './log.mjs';
import { root } from './paths.mjs';

const POLL_MS = 200;
const LIMIT_MS = 20 * 60 * 1000;
const file = join(
  tmpdir(),
  `leasehold-setup-${createHash('sha256').update(root).digest('hex').slice(0, 16)}.lock`,
);

/** @param {unknown} error */
const codeOf = (error) => /** @type {NodeJS.ErrnoException} */ (error).code;

function acquire() {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    // A link appears together with its content. A new file would be empty for a moment.
    linkSync(own, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own);
  }
}

/** A killed holder leaves the file behind. Another process may have the same id by now, so age also counts. */
function isAbandoned() {
  try {
    if (Date.now() - statSync(file).mtimeMs > LIMIT_MS) return true;
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return false;
  } catch (error) {
    // ESRCH: no such process. EPERM: another user's process. ENOENT: the lock was released meanwhile.
    return codeOf(error) === 'ESRCH';
  }
}

/**
 * Runs the work while this process holds the lock of the checkout.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(work) {
  let isReported = false;
  while (!acquire()) {
    if (isAbandoned()) rmSync(file, { force: true });
    else if (!isReported) log('Waiting for another set-up of this folder');
    isReported = true;
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
