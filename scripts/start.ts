// Opens the sample app on a folder. Without a display the app runs unattended on a virtual one and saves screenshots.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { startDisplay } from './launch/display.ts';
import { runtime } from './launch/runtime.mjs';

const STOP_TIMEOUT_MS = 10_000;

const { root, app: appPath, executablePath, args, env, needsXvfb } = runtime();
const given = process.argv.slice(2);
const flags = given.filter((argument) => argument.startsWith('-'));
const [folder = '.'] = given.filter((argument) => !argument.startsWith('-'));
// npm runs scripts in the project's folder. The path is relative to the folder in which npm was called.
const target = resolve(process.env.INIT_CWD ?? process.cwd(), folder);

function runApp(environment: NodeJS.ProcessEnv, switches: string[] = []): Promise<number> {
  const app = spawn(executablePath, [...args, ...switches, appPath, target, ...flags], {
    stdio: 'inherit',
    env: { ...environment, ...env },
    // In its own process group, so that all its processes can be ended. Windows has no such groups.
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
    setTimeout(() => signalGroup('SIGKILL'), STOP_TIMEOUT_MS).unref();
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
  const unattended = flags.find((flag) => flag.startsWith('--unattended='));
  const out = unattended?.slice('--unattended='.length) ?? join(root, 'out');
  if (unattended === undefined) flags.push(`--unattended=${out}`);
  console.log(`There is no display: the app runs unattended and saves screenshots in ${out}`);
  // Chromium logs many errors on a machine without a message bus or a graphics card.
  process.exitCode = await runApp({ ...process.env, DISPLAY: display.name }, ['--log-level=3']);
} else {
  process.exitCode = await runApp(process.env);
}
