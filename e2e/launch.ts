// The fixture that opens the real app. A test fails if the app printed an error or left a process behind, even where
// the test did not look.
import type { ChildProcess } from 'node:child_process';
import diagnosticsChannel from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  _electron,
  test as base,
  type ConsoleMessage,
  type ElectronApplication,
  type Page,
} from '@playwright/test';
import { runtime } from '../scripts/launch/runtime.mjs';
import { processesOf } from './processes.ts';

const QUIT_TIMEOUT_MS = 15_000;
const HELPERS_TIMEOUT_MS = 5_000;
const TROUBLE =
  /uncaught ?exception|unhandled ?(promise)? ?rejection|A JavaScript error occurred|^(?:\w*Error): |ERR_\w+|segmentation fault/i;

export interface LaunchOptions {
  /** The folder that the app opens; a temporary one if left out. */
  folder?: string;
  /** The data folder; a temporary one of this launch if left out. Give one to open the same data again. */
  data?: string;
  /** Further arguments for the app. */
  args?: string[];
  env?: Record<string, string>;
}

export interface RunningApp {
  electron: ElectronApplication;
  /** The first window, loaded. */
  window: Page;
  folder: string;
  data: string;
  /** Everything that the app printed so far. */
  output(): string;
  /** Quits the app as a person would, and waits until none of its processes is left. */
  close(): Promise<void>;
  /** Ends all its processes at once, as a power cut does, and waits until they are gone. */
  kill(): Promise<void>;
}

export interface Launcher {
  launch(options?: LaunchOptions): Promise<RunningApp>;
  /** A temporary folder that goes with the test. */
  temporaryFolder(name?: string): string;
  /** Errors to expect: those that match do not fail the test. */
  expectErrors(pattern: RegExp): void;
}

interface Launched {
  isOver: boolean;
  close(): Promise<void>;
  output(): string;
}

let launches = 0;

/** Waits for the app's processes to end; tells those that did not. */
async function processesLeft(group: number | undefined, mark: string): Promise<number[]> {
  const until = Date.now() + HELPERS_TIMEOUT_MS;
  let left = processesOf(group, mark);
  while (left.length > 0 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    left = processesOf(group, mark);
  }
  return left;
}

const within = (milliseconds: number, promise: Promise<void>): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), milliseconds);
    void promise.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });

/**
 * Keeps what the next process of this executable prints, from its first line on. Playwright hands the process out only
 * once it has connected to it; by then what the app printed while it started would be lost.
 */
function captureOutput(executablePath: string) {
  let output = '';
  const keep = (chunk: Buffer) => {
    output += chunk;
  };
  const onProcess = (message: unknown) => {
    const { process: child } = message as { process: ChildProcess };
    // The channel tells of a process before it has pipes.
    queueMicrotask(() => {
      if (child.spawnfile !== executablePath) return;
      child.stdout?.on('data', keep);
      child.stderr?.on('data', keep);
    });
  };
  diagnosticsChannel.subscribe('child_process', onProcess);
  const release = () => diagnosticsChannel.unsubscribe('child_process', onProcess);
  return { output: () => output, release };
}

function signal(pid: number) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

export const test = base.extend<{ app: Launcher }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are wanted from the pattern.
  app: async ({}, use, testInfo) => {
    const { root, app: appPath, executablePath, args: runtimeArgs, env: runtimeEnv } = runtime();
    const folders: string[] = [];
    const launched: Launched[] = [];
    const troubles: string[] = [];
    const expected: RegExp[] = [];

    const temporaryFolder = (name = 'folder') => {
      const folder = mkdtempSync(join(tmpdir(), `leasehold-e2e-${name}-`));
      folders.push(folder);
      return folder;
    };

    const watchPage = (page: Page) => {
      page.on('pageerror', (error) => troubles.push(`page error: ${error.stack ?? error.message}`));
      page.on('console', (message: ConsoleMessage) => {
        if (message.type() === 'error') troubles.push(`page console: ${message.text()}`);
      });
      page.on('crash', () => troubles.push('the page crashed'));
    };

    const launch = async (options: LaunchOptions = {}): Promise<RunningApp> => {
      const folder = options.folder ?? temporaryFolder();
      const data = options.data ?? temporaryFolder('data');
      // Every process of the app inherits it, helpers too.
      const mark = `leasehold-e2e-${process.pid}-${++launches}-`;
      const { output, release } = captureOutput(executablePath);
      const electron = await _electron.launch({
        executablePath,
        // Quiet Chromium's own log, of which a machine without bus or graphics card makes much.
        args: [...runtimeArgs, '--log-level=3', appPath, folder, `--data=${data}`, ...(options.args ?? [])],
        chromiumSandbox: !runtimeArgs.includes('--no-sandbox'),
        cwd: root,
        env: {
          ...(process.env as Record<string, string>),
          LANG: 'en_US.UTF-8',
          LANGUAGE: 'en_US',
          TZ: 'UTC',
          ...runtimeEnv,
          ...options.env,
          LEASEHOLD_E2E_MARK: mark,
        },
      });
      release();
      const child = electron.process();
      const exited = new Promise<void>((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) resolve();
        else child.once('exit', () => resolve());
      });
      electron.on('window', watchPage);
      for (const page of electron.windows()) watchPage(page);

      const end = async (how: () => Promise<void>) => {
        state.isOver = true;
        const closed = how();
        if (!(await within(QUIT_TIMEOUT_MS, exited))) troubles.push('the app did not quit');
        // Before waiting for `closed`: a process that is left holds the app's pipes open.
        for (const pid of await processesLeft(child.pid, mark)) {
          troubles.push(`process ${pid} of the app was left behind`);
          signal(pid);
        }
        await closed;
        for (const line of output().split('\n')) if (TROUBLE.test(line)) troubles.push(`printed: ${line}`);
      };
      const killAll = async () => {
        const gone = electron.waitForEvent('close');
        if (child.pid !== undefined) signal(child.pid);
        for (const pid of processesOf(child.pid, mark)) signal(pid);
        await gone;
      };

      const state: Launched = {
        isOver: false,
        close: () => end(() => electron.close()),
        output,
      };
      launched.push(state);
      const window = await electron.firstWindow();
      await window.waitForLoadState();
      const { close } = state;
      return { electron, window, folder, data, output, close, kill: () => end(killAll) };
    };

    await use({ launch, temporaryFolder, expectErrors: (pattern) => expected.push(pattern) });

    for (const { isOver, close } of launched) if (!isOver) await close();
    for (const [index, { output }] of launched.entries()) {
      if (output() !== '') await testInfo.attach(`output-${index + 1}.txt`, { body: output() });
    }
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    const unexpected = troubles.filter((trouble) => !expected.some((pattern) => pattern.test(trouble)));
    if (unexpected.length > 0) throw new Error(`The app was not well:\n${unexpected.join('\n')}`);
  },
});

export { expect } from '@playwright/test';
