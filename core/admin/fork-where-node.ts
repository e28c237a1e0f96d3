/** The start of an untrusted file's process where nothing else was provided: by Node's fork, unless that runs the app again. */
import { BadArgument } from '../contract/errors.ts';
import type { StartChild } from '../rpc/child-host.ts';
import { forkChild } from '../rpc/fork-child.ts';

/** Raises BAD_ARGUMENT where the executable of this process is not Node. */
export const forkWhereNode: StartChild = (file, argument, events) => {
  if (isElectron())
    throw new BadArgument(
      "openAdmin with untrusted: true needs a process that Electron's main process starts. There, write: import { openAdmin } from 'leasehold/electron';",
    );
  if (isSingleExecutable())
    throw new BadArgument(
      'openAdmin with untrusted: true needs a process of Node, and this program is a single executable file. Run Leasehold in a program that Node runs.',
    );
  return forkChild(file, argument, events);
};

/** Where the fuse `runAsNode` is off, fork would start the app once more. An Electron that runs as Node has no process.type. */
function isElectron(): boolean {
  if (!process.versions.electron) return false;
  return (process as { type?: string }).type !== undefined || !process.env.ELECTRON_RUN_AS_NODE;
}

/** Asked for at run time: not every Electron has the module. */
function isSingleExecutable(): boolean {
  return process.getBuiltinModule?.('node:sea')?.isSea() ?? false;
}
