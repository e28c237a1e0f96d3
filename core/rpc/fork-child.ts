/** Starts a child process of plain Node. */
import { fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StartChild } from './child-host.ts';
import { withoutInputType } from './thread-file.ts';

/** The child starts a thread, and no thread can start in a working directory that was deleted. */
function workingDirectory(file: URL): string {
  try {
    return process.cwd();
  } catch {
    return dirname(fileURLToPath(file));
  }
}

/**
 * The child gets no flags of this process: many of them do not suit a file (--input-type, --eval), or not two processes
 * (--inspect-brk).
 */
export const forkChild: StartChild = (file, argument, { onMessage, onExit }) => {
  const child = fork(file, [argument], {
    execArgv: [],
    cwd: workingDirectory(file),
    env: withoutInputType(process.env),
    serialization: 'advanced',
    // The pipe of the standard input ends with the thread that holds its other end: see endWithParent.
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
    windowsHide: true,
  });
  // It carries nothing.
  (child.stdin as Socket | null)?.unref();
  child.on('message', onMessage);
  child.on('error', (error) => {
    // Otherwise a message could not be sent, because the process has ended: 'exit' follows.
    if (child.pid === undefined) onExit(`it could not be started (${error.message})`);
  });
  child.on('exit', (code, signal) =>
    onExit(signal ? `it was ended by ${signal}` : `it exited with code ${code}`),
  );
  return {
    postMessage: (message) => {
      if (child.connected) child.send(message as object);
    },
    kill: () => void child.kill('SIGKILL'),
    setRef(isRef) {
      if (isRef) {
        child.ref();
        child.channel?.ref();
      } else {
        child.unref();
        child.channel?.unref();
      }
    },
  };
};
