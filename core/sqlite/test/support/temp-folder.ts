import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';

/** A folder for one test. Disposing of it fails when the test left a file in it open. */
export class TempFolder implements Disposable {
  readonly path: string;

  constructor(parent = tmpdir()) {
    this.path = realpathSync(mkdtempSync(join(parent, 'leasehold-test-')));
  }

  file(name = 'queue.db'): string {
    return join(this.path, name);
  }

  /** The files of this folder that are still open. On Windows an open file prevents the removal of its folder. */
  openHandles(): string[] {
    if (process.platform !== 'linux') return [];
    return readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        const target = readlinkSync(`/proc/self/fd/${fd}`);
        return target.startsWith(this.path + sep) ? [target] : [];
      } catch {
        return []; // The handle that read the list.
      }
    });
  }

  [Symbol.dispose](): void {
    const open = this.openHandles();
    rmSync(this.path, { recursive: true, force: true });
    assert.deepEqual(open, [], 'the test left files open');
  }
}

/** Runs `body` with a new folder. */
export async function inTempFolder<T>(body: (folder: TempFolder) => T | Promise<T>): Promise<T> {
  using folder = new TempFolder();
  return await body(folder);
}
