/** What the app was started with: `[FOLDER] [--paused] [--data=DIR] [--unattended=OUTDIR]`. */
import { resolve } from 'node:path';

export interface StartOptions {
  readonly folder: string;
  /** Start with indexing paused: the walk publishes, and nothing is read until a person resumes. */
  readonly paused: boolean;
  /** Where queue.db and index.db lie; null: Electron's userData. */
  readonly data: string | null;
  /** Where an unattended run puts its pictures; null: an ordinary run. */
  readonly unattended: string | null;
}

/** `args`: the command line after the app itself. Flags it does not know are Chromium's. */
export function startOptions(args: readonly string[], cwd: string): StartOptions {
  const flag = (name: string) => {
    const found = args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
    return found ? resolve(cwd, found) : null;
  };
  const folder = args.find((arg) => !arg.startsWith('-'));
  return {
    folder: resolve(cwd, folder ?? '.'),
    paused: args.includes('--paused'),
    data: flag('data'),
    unattended: flag('unattended'),
  };
}
