// A folder in the cache is either complete or absent: it is built under a temporary name and renamed at the end.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const ABANDONED_AFTER_MS = 60 * 60 * 1000;

/**
 * Deletes the temporary folders of set-ups that were killed.
 * @param {string} target
 */
function deleteAbandoned(target) {
  for (const name of readdirSync(dirname(target))) {
    if (!name.startsWith(`${basename(target)}.`)) continue;
    const path = join(dirname(target), name);
    if (Date.now() - statSync(path).mtimeMs > ABANDONED_AFTER_MS)
      rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Builds the target, unless it exists.
 * @param {string} target
 * @param {(folder: string) => Promise<string>} make fills the temporary folder and returns the part that becomes the target
 */
export async function makeFolder(target, make) {
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  deleteAbandoned(target);
  const folder = mkdtempSync(`${target}.`);
  try {
    const made = await make(folder);
    try {
      renameSync(made, target);
    } catch (error) {
      // Another checkout may have made the same folder meanwhile.
      if (!existsSync(target)) throw error;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
