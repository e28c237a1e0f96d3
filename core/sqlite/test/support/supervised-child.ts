/** Runs a program in a child process under a watchdog: a call of SQLite that never returns can only be ended with its process. */
import { fork } from 'node:child_process';

export interface Supervision<Message> {
  /** The child is killed when it sends no message for this long. Asked after each message. */
  quietMs(): number;
  /** The child is killed when this returns false. */
  onMessage(message: Message): boolean;
}

/** Resolves with how the child ended, as in 'ended with SIGSEGV'. Rejects when it cannot be started. */
export function superviseChild<Message>(
  file: string,
  args: object,
  { quietMs, onMessage }: Supervision<Message>,
): Promise<string> {
  const child = fork(file, [JSON.stringify(args)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let hung: string | undefined;
  let watchdog: NodeJS.Timeout;
  const rewind = () => {
    clearTimeout(watchdog);
    const ms = quietMs();
    watchdog = setTimeout(() => {
      hung = `was killed because it sent nothing for ${ms / 1_000} s`;
      child.kill('SIGKILL');
    }, ms);
  };
  rewind();
  child.on('message', (message: Message) => {
    if (!onMessage(message)) child.kill('SIGKILL');
    rewind();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(watchdog);
      resolve(hung ?? `ended with ${signal ?? code}`);
    });
  });
}
