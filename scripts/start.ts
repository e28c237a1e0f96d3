// Opens the app on a folder. Where there is no display the app runs unattended on a virtual one, and leaves pictures.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { startDisplay } from './display.ts';
import { runtime } from './runtime.mjs';

const GRACE_MS = 10_000;

const { root, executablePath, args, env, needsXvfb } = runtime();
const given = process.argv.slice(2);
const flags = given.filter((argument) => argument.startsWith('-'));
const [folder = '.'] = given.filter((argument) => !argument.startsWith('-'));
// npm runs its scripts in the project; the folder is meant from where npm was called.
const target = resolve(process.env.INIT_CWD ?? process.cwd(), folder);

function runApp(environment: NodeJS.ProcessEnv, switches: string[] = []): Promise<number> {
  const app = spawn(executablePath, [...args, ...switches, root, target, ...flags], {
    stdio: 'inherit',
    env: { ...environment, ...env },
    // A group of its own, so that nothing of the app is left when it has ended. Windows has no such groups.
    detached: process.platform !== 'win32',
  });
  const signalGroup = (signal: NodeJS.Signals) => {
    try {
      if (app.pid !== undefined && process.platform !== 'win32') process.kill(-app.pid, signal);
    } catch {
      // The group has ended.
    }
  };
  const stop = () => {
    app.kill('SIGTERM');
    setTimeout(() => signalGroup('SIGKILL'), GRACE_MS).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  return new Promise((resolve, reject) => {
    app.on('error', reject);
    app.on('exit', (code, signal) => {
      signalGroup('SIGKILL');
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}

if (needsXvfb) {
  await using display = await startDisplay();
  const pictures = flags.find((flag) => flag.startsWith('--unattended='));
  const out = pictures?.slice('--unattended='.length) ?? join(root, 'out');
  if (pictures === undefined) flags.push(`--unattended=${out}`);
  console.log(`There is no display: the app runs unattended, and its pictures go to ${out}`);
  // Of a machine without a bus and a graphics card Chromium's own log makes much.
  process.exitCode = await runApp({ ...process.env, DISPLAY: display.name }, ['--log-level=3']);
} else {
  process.exitCode = await runApp(process.env);
}
