/** The command line: `[FOLDER] [--paused] [--data=DIR] [--unattended=OUTDIR]`. */
import { resolve } from 'node:path';

export interface StartOptions {
  readonly folder: string;
  /** Starts paused: the walk publishes messages, and the worker reads no file until it is resumed. */
  readonly paused: boolean;
  /** The folder of queue.db and index.db. Null: Electron's default. */
  readonly data: string | null;
  /** The folder for the screenshots of an unattended run. Null: an ordinary run. */
  readonly unattended: string | null;
}

/** `args` is the command line after the app's path. Unknown flags belong to Chromium and are ignored. */
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
