/** Finds the built pages and preloads from this module's own place, however it was bundled. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LeaseholdError } from '../../core/contract/errors.ts';

/** The nearest folder above this module that has the preloads (`preload/`) and the pages (`renderer/`). Raises NOT_BUILT. */
export function distFolder(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'preload', 'inspector.cjs'))) return folder;
    if (folder === dirname(folder))
      throw new LeaseholdError(
        'NOT_BUILT',
        `No built inspector above ${import.meta.dirname}: run "npm run build", or copy dist/preload and dist/renderer.`,
      );
  }
}
