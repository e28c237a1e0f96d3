import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';

const SCREEN = '1600x1000x24';
const SETPRIV = '/usr/bin/setpriv';

export interface Display extends AsyncDisposable {
  /** The value for DISPLAY. */
  name: string;
}

function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    server.once('exit', () => resolve());
    server.kill('SIGTERM');
  });
}

/** Starts a virtual display. It ends when the returned object is disposed of, or with this process. */
export async function startDisplay(): Promise<Display> {
  // The server picks a free number and writes it to descriptor 3 when it is ready, so no polling is needed.
  const command = ['Xvfb', '-displayfd', '3', '-screen', '0', SCREEN, '-nolisten', 'tcp', '-noreset'];
  // The kernel ends the server if this process is killed.
  if (existsSync(SETPRIV)) command.unshift(SETPRIV, '--pdeathsig', 'TERM');
  const [program = '', ...args] = command;
  const server = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    // In its own process group: Ctrl-C must not end the display before the app has closed.
    detached: true,
  });
  const onExit = () => server.kill('SIGTERM');
  process.once('exit', onExit);
  let errors = '';
  server.stderr?.on('data', (data: Buffer) => {
    errors += data;
  });
  const number = await new Promise<string>((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`Xvfb did not start: ${reason}`));
    server.once('error', (error) => fail(error.message));
    server.once('exit', (code, signal) => fail(errors.trim() || `it ended with ${signal ?? code}`));
    (server.stdio[3] as Readable).once('data', (data: Buffer) => resolve(data.toString().trim()));
  });
  return {
    name: `:${number}`,
    async [Symbol.asyncDispose]() {
      process.off('exit', onExit);
      await end(server);
    },
  };
}
