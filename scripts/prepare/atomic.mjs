// A folder in the cache is whole or absent: it is made under another name beside its place, and renamed at the end.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const ABANDONED_AFTER_MS = 60 * 60 * 1000;

/** @param {string} target what a killed set-up left is in the way of nothing, but large */
function sweep(target) {
  for (const name of readdirSync(dirname(target))) {
    if (!name.startsWith(`${basename(target)}.`)) continue;
    const path = join(dirname(target), name);
    if (Date.now() - statSync(path).mtimeMs > ABANDONED_AFTER_MS)
      rmSync(path, { recursive: true, force: true });
  }
}

/**
 * @param {string} target
 * @param {(folder: string) => Promise<string>} make fills the folder and tells what of it is to become the target
 */
export async function makeFolder(target, make) {
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  sweep(target);
  const folder = mkdtempSync(`${target}.`);
  try {
    const made = await make(folder);
    try {
      renameSync(made, target);
    } catch (error) {
      // Another checkout was quicker: its folder is as good.
      if (!existsSync(target)) throw error;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
