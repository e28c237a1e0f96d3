import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { startDisplay } from '../launch/display.ts';
import { runtime } from '../launch/runtime.mjs';
import { root } from '../prepare/support/paths.mjs';
import {
  type PlaywrightReport,
  sum,
  type Tally,
  tallyOfPlaywright,
  verdict,
  verdictOfCheck,
} from './tally.ts';

const SUITE_TIMEOUT_MS = 20 * 60 * 1000;
// The runner applies it to a whole file as well.
const TEST_TIMEOUT_MS = 5 * 60_000;
const FOLDERS = ['core', 'electron', 'renderer', 'scripts', 'bench', 'examples'];

const bin = (name: string) => join(root, 'node_modules/.bin', name);
const out = join(root, 'out');

/** The runner that is active, so that a signal can stop it. */
export let current: ChildProcess | undefined;

function run(command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<number | NodeJS.Signals> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
      timeout: SUITE_TIMEOUT_MS,
      shell: process.platform === 'win32',
    });
    current = child;
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      current = undefined;
      resolve(code ?? signal ?? 1);
    });
  });
}

/** Deletes the report of an earlier run, so that it cannot count for this one. */
function freshReport(name: string): string {
  mkdirSync(out, { recursive: true });
  const path = join(out, name);
  rmSync(path, { force: true });
  return path;
}

function read<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

async function unit(args: string[]): Promise<Tally> {
  const report = freshReport('unit.json');
  const isFlag = (arg: string) => arg.startsWith('-');
  const files = args.some((arg) => !isFlag(arg))
    ? args
    : [...args, ...FOLDERS.map((folder) => `${folder}/**/*.test.ts`)];
  const options = [
    `--test-reporter=${join(root, 'scripts/suites/reporter.ts')}`,
    `--test-concurrency=${availableParallelism()}`,
    `--test-timeout=${TEST_TIMEOUT_MS}`,
  ];
  // Each test file, and each program that a test starts, is a process that loads much of the sources. With what others have
  // compiled it needs half of the time. Made anew by each run, so that it does not grow.
  const cache = join(out, 'compile-cache');
  rmSync(cache, { recursive: true, force: true });
  const env = { UNIT_REPORT: report, NODE_COMPILE_CACHE: cache };
  const ending = await run(process.execPath, ['--test', ...options, ...files], env);
  return verdict(ending, read<Tally>(report));
}

async function e2e(args: string[]): Promise<Tally> {
  const report = freshReport('e2e.json');
  const command = ['test', '--config', join(root, 'e2e/playwright.config.ts'), ...args];
  const start = (env: NodeJS.ProcessEnv) => run(bin('playwright'), command, env);
  let ending: number | NodeJS.Signals;
  if (runtime().needsXvfb) {
    await using display = await startDisplay();
    ending = await start({ DISPLAY: display.name });
  } else {
    ending = await start({});
  }
  const found = read<PlaywrightReport>(report);
  return verdict(ending, found && tallyOfPlaywright(found));
}

export const suites: Record<string, (args: string[]) => Promise<Tally>> = {
  types: async (args) => verdictOfCheck(await run(bin('tsc'), ['--noEmit', ...args])),
  lint: async (args) => {
    const biome = await run(bin('biome'), ['check', '--error-on-warnings', ...args]);
    const rooms = await run(process.execPath, ['scripts/lint/check-rooms.ts']);
    return sum([verdictOfCheck(biome), verdictOfCheck(rooms)]);
  },
  unit,
  e2e,
};
