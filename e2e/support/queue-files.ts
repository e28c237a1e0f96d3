/** Files of queues that somebody sent. */
import { execFileSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { RunningApp } from './running-app.ts';

const CRAFT_FILE = fileURLToPath(new URL('../../core/admin/test/craft-file.ts', import.meta.url));

/** 'index': the counts of the overview are never done. 'schema': nothing can be read. Null: the file is good. */
export type Craft = 'index' | 'schema' | null;

/** Copies the app's queue to `path`, where it is crafted. */
export function copyQueue({ data }: RunningApp, path: string, craft: Craft): void {
  const db = new DatabaseSync(`${data}/queue.db`, { timeout: 5_000 });
  try {
    db.prepare('VACUUM INTO ?').run(path);
  } finally {
    db.close();
  }
  if (craft) execFileSync(process.execPath, [CRAFT_FILE, craft, path]);
}
