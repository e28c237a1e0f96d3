/** Builds the library power-log.c, and reads the records that it writes. */
import { readFileSync } from 'node:fs';
import { compileLibrary } from '../support/preload.ts';

export { whyNotHere } from '../support/preload.ts';

/** In the order of the C library's `enum name`. */
const NAMES = ['', 'queue', 'wal', 'journal', 'mark', 'folder'] as const;
const KINDS = ['', 'created', 'written', 'truncated', 'synced', 'unlinked', 'renamed', 'marked'] as const;

export type FileName = 'queue' | 'wal' | 'journal';

export interface LogRecord {
  readonly kind: Exclude<(typeof KINDS)[number], ''>;
  readonly name: FileName | 'mark' | 'folder' | '';
  readonly pid: number;
  readonly inode: number;
  /** The offset of a write; the size after a truncation. */
  readonly offset: number;
  /** What was written, or the text of the mark. */
  readonly data: Buffer;
}

/** The length of the C library's `struct record`. */
const HEADER = 32;

export function readLog(path: string): LogRecord[] {
  const bytes = readFileSync(path);
  const records: LogRecord[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [kind, name] = [KINDS[bytes.readUInt32LE(at)], NAMES[bytes.readUInt32LE(at + 4)]];
    const length = bytes.readUInt32LE(at + 12);
    if (!kind || name === undefined) throw new Error(`${path}: no record at byte ${at}`);
    records.push({
      kind,
      name,
      pid: bytes.readUInt32LE(at + 8),
      inode: Number(bytes.readBigUInt64LE(at + 16)),
      offset: Number(bytes.readBigUInt64LE(at + 24)),
      data: bytes.subarray(at + HEADER, at + HEADER + length),
    });
    at += HEADER + length;
  }
  return records;
}

/** The environment of a process whose writes to `queue` are to be logged in `log`. */
export const loggingEnv = (library: string, queue: string, log: string): Record<string, string> => ({
  LD_PRELOAD: library,
  POWER_LOG_QUEUE: queue,
  POWER_LOG_TO: log,
});

/** The path that a logged process writes its marks to. */
export const markPathOf = (queue: string): string => `${queue}-mark`;

/** Compiles the library into this file. */
export const buildLibrary = (path: string): void =>
  compileLibrary(new URL('power-log.c', import.meta.url), path);
