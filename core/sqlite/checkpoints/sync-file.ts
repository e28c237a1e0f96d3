/** Writes a database file's pages to the disk, without SQLite. */
import { fdatasyncSync, fstatSync, statSync } from 'node:fs';

const HIGHEST_DESCRIPTOR = 1024;

/**
 * Synchronizes the file through a descriptor that SQLite has open in this process. (To open and close one of our own would
 * drop all locks that SQLite has on the file.) SQLite itself synchronizes the file only in a checkpoint that reaches the
 * log's end, which is never the case while a writer is busy. Does nothing where SQLite has no descriptors (Windows): the
 * last checkpoint then takes longer.
 */
export function syncFile(path: string): void {
  if (process.platform === 'win32') return;
  const { dev, ino } = statSync(path);
  for (let fd = 3; fd < HIGHEST_DESCRIPTOR; fd++) {
    try {
      const found = fstatSync(fd);
      if (found.dev !== dev || found.ino !== ino) continue;
      fdatasyncSync(fd);
      return;
    } catch {
      // No such descriptor.
    }
  }
}
