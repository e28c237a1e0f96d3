import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';

/** A folder for one test; removing it fails when the test left a handle open in it. */
export class TempFolder implements Disposable {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), 'leasehold-test-')));

  file(name = 'queue.db'): string {
    return join(this.path, name);
  }

  /** Names of the handles still open on files of this folder. A handle keeps Windows from removing the folder. */
  openHandles(): string[] {
    if (process.platform !== 'linux') return [];
    return readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        const target = readlinkSync(`/proc/self/fd/${fd}`);
        return target.startsWith(this.path + sep) ? [target] : [];
      } catch {
        return []; // The handle that read the list itself.
      }
    });
  }

  [Symbol.dispose](): void {
    const open = this.openHandles();
    rmSync(this.path, { recursive: true, force: true });
    assert.deepEqual(open, [], 'the test left handles open');
  }
}

/** Runs `body` with a folder of its own. */
export async function inTempFolder<T>(body: (folder: TempFolder) => T | Promise<T>): Promise<T> {
  using folder = new TempFolder();
  return await body(folder);
}
