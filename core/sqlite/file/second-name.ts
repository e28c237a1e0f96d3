/**
 * Warns of a file that has a second name (a hard link). SQLite finds the log by the file's name, so two processes that use
 * different names have two logs for one file, and each loses what the other commits. It is no error: a backup program may have
 * made the other name, which nobody opens.
 */
import type { BigIntStats } from 'node:fs';

const warned = new Set<string>();

export function warnOfSecondName(path: string, { nlink }: BigIntStats): void {
  if (nlink < 2n || warned.has(path)) return;
  warned.add(path);
  process.emitWarning(
    `${path} has ${nlink} names (hard links). Open it by one of them only, in every process: SQLite keeps a log for each name, and commits will be lost. Remove the other names if nothing needs them.`,
    { type: 'LeaseholdWarning', code: 'LEASEHOLD_SECOND_NAME' },
  );
}
