/** A disk that fails while the driver wants it: builds disk-trouble.c, and says which troubles there are. */
import { writeFileSync } from 'node:fs';
import { compileLibrary } from '../../sqlite/test/support/preload.ts';
import type { TempFolder } from '../../sqlite/test/support/temp-folder.ts';

/** The values of the C library's `enum trouble`. */
const TROUBLES = {
  'EIO on write': 1,
  'ENOSPC on write': 2,
  'short write': 4,
  'EIO on sync': 8,
  'EIO on read': 16,
  'EIO on truncate': 32,
} as const;

export type DiskTrouble = keyof typeof TROUBLES;

export const DISK_TROUBLES = Object.keys(TROUBLES) as DiskTrouble[];

export class Disk {
  /** The environment of the processes whose disk it is. */
  readonly env: Readonly<Record<string, string>>;
  readonly #control: string;

  constructor(folder: TempFolder) {
    const library = folder.file('disk-trouble.so');
    this.#control = folder.file('disk-control');
    this.#set(0, 0, 'w');
    compileLibrary(new URL('disk-trouble.c', import.meta.url), library);
    this.env = {
      LD_PRELOAD: library,
      DISK_TROUBLE_QUEUE: folder.file(),
      DISK_TROUBLE_CONTROL: this.#control,
    };
  }

  /** From now on one call in `oneIn` has one of these troubles. */
  fail(troubles: readonly DiskTrouble[], oneIn: number): void {
    this.#set(
      troubles.reduce((sum, each) => sum + TROUBLES[each], 0),
      oneIn,
    );
  }

  heal(): void {
    this.#set(0, 0);
  }

  #set(troubles: number, oneIn: number, flag = 'r+'): void {
    writeFileSync(this.#control, new Uint32Array([troubles, oneIn]), { flag });
  }
}
