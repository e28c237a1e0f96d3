/** openAdmin for the main process: an untrusted file is read in a utility process. */
import { fileURLToPath } from 'node:url';
import { app, utilityProcess } from 'electron';
import { type AdminOptions, openAdminWith } from '../../core/admin/open-admin.ts';
import type { QueueAdmin } from '../../core/contract/admin.ts';
import { LeaseholdError } from '../../core/contract/errors.ts';
import type { StartChild } from '../../core/rpc/child-host.ts';

/**
 * The openAdmin of 'leasehold', whose option `untrusted` works in Electron. Raises BAD_ARGUMENT, and for an untrusted file
 * APP_NOT_READY before the app is ready.
 */
export function openAdmin(options: AdminOptions): QueueAdmin {
  return openAdminWith(startUtilityProcess, options);
}

const startUtilityProcess: StartChild = (file, argument, { onMessage, onExit }) => {
  if (!app.isReady())
    throw new LeaseholdError(
      'APP_NOT_READY',
      'openAdmin with untrusted: true needs a ready app: call it after app.whenReady().',
    );
  const child = utilityProcess.fork(fileURLToPath(file), [argument], {
    execArgv: [],
    stdio: 'inherit',
    serviceName: 'Leasehold admin',
  });
  let isKilled = false;
  const kill = () => {
    if (!isKilled || child.pid === undefined) return;
    try {
      // child.kill() sends SIGTERM.
      process.kill(child.pid, 'SIGKILL');
    } catch {
      // It has ended, and 'exit' follows.
    }
  };
  child.on('spawn', kill);
  child.on('message', onMessage);
  // A fatal error of V8, after which 'exit' follows. Without a listener it would be an uncaught error of the app.
  child.on('error', () => undefined);
  child.once('exit', (code) => onExit(`it exited with code ${code}`));
  return {
    postMessage: (message) => child.postMessage(message),
    kill() {
      isKilled = true;
      kill();
    },
    // An Electron app does not end by itself.
    setRef: () => undefined,
  };
};
