/** One launched app: its process, its windows, and its end. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { _electron, type ElectronApplication, expect, type Page } from '@playwright/test';
import { runtime } from '../../scripts/launch/runtime.mjs';
import { captureOutput, type Output, problemLines } from './output.ts';
import { kill, processesOf } from './processes.ts';

const QUIT_TIMEOUT_MS = 15_000;
const HELPERS_TIMEOUT_MS = 5_000;

/** A window behind another one would stop painting, and Playwright waits for frames. */
const KEEP_PAINTING = '--disable-backgrounding-occluded-windows';
/** Chromium logs many errors on a machine without a message bus or a graphics card. */
const QUIET = '--log-level=3';

export interface AppOptions {
  readonly folder: string;
  readonly data: string;
  readonly args: readonly string[];
  /** Receives errors of the pages and of the processes. */
  readonly onProblem: (problem: string) => void;
}

let launches = 0;

export class RunningApp {
  readonly electron: ElectronApplication;
  /** The folder that the app indexes. */
  readonly folder: string;
  readonly data: string;
  readonly #output: Output;
  readonly #mark: string;
  readonly #onProblem: (problem: string) => void;
  readonly #process: ChildProcess;
  readonly #exited: Promise<true>;
  #window: Page | undefined;
  #isOver = false;
  #reported = 0;

  static async launch(options: AppOptions): Promise<RunningApp> {
    const { root, app, executablePath, args, env } = runtime();
    // All processes of the app inherit it.
    const mark = `leasehold-e2e-${process.pid}-${++launches}-`;
    const output = captureOutput(executablePath);
    const { folder, data } = options;
    const electron = await _electron.launch({
      executablePath,
      args: [...args, QUIET, KEEP_PAINTING, app, folder, `--data=${data}`, ...options.args],
      chromiumSandbox: !args.includes('--no-sandbox'),
      cwd: root,
      env: {
        ...(process.env as Record<string, string>),
        LANG: 'en_US.UTF-8',
        LANGUAGE: 'en_US',
        TZ: 'UTC',
        ...env,
        LEASEHOLD_E2E_MARK: mark,
      },
    });
    output.release();
    return new RunningApp(electron, output, mark, options);
  }

  private constructor(electron: ElectronApplication, output: Output, mark: string, options: AppOptions) {
    this.electron = electron;
    this.folder = options.folder;
    this.data = options.data;
    this.#output = output;
    this.#mark = mark;
    this.#onProblem = options.onProblem;
    // Playwright does not return the process after it has ended.
    this.#process = electron.process();
    this.#exited = new Promise((resolve) => {
      const { exitCode, signalCode } = this.#process;
      if (exitCode !== null || signalCode !== null) resolve(true);
      else this.#process.once('exit', () => resolve(true));
    });
    electron.on('window', (page) => this.#watch(page));
    for (const page of electron.windows()) this.#watch(page);
  }

  /** The first window. */
  get window(): Page {
    if (!this.#window) throw new Error('The app has no window yet.');
    return this.#window;
  }

  async waitForWindow(): Promise<this> {
    this.#window = await this.electron.firstWindow();
    await this.#window.waitForLoadState();
    return this;
  }

  output(): string {
    return this.#output.all();
  }

  /** Reports the errors that the app printed since the last call. */
  reportPrinted(): void {
    const output = this.output();
    // The last line may be incomplete while the app runs.
    const end = this.#isOver ? output.length : output.lastIndexOf('\n') + 1;
    for (const line of problemLines(output.slice(this.#reported, end))) this.#onProblem(`printed: ${line}`);
    this.#reported = end;
  }

  /** Quits the app as a user would. Resolves when all its processes have ended. Idempotent. */
  close(): Promise<void> {
    return this.#end(() => this.electron.close());
  }

  /** Kills all processes of the app, as a power failure would. Resolves when they have ended. */
  kill(): Promise<void> {
    return this.#end(async () => {
      const closed = this.electron.waitForEvent('close');
      const { pid } = this.#process;
      if (pid !== undefined) kill(pid);
      for (const helper of processesOf(pid, this.#mark)) kill(helper);
      await closed;
    });
  }

  async #end(how: () => Promise<void>): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const closed = how();
    const timeout = setTimeout(QUIT_TIMEOUT_MS, false, { ref: false });
    if (!(await Promise.race([this.#exited, timeout]))) this.#onProblem('the app did not quit');
    // A remaining process keeps the app's pipes open, so this comes before waiting for `closed`.
    for (const pid of await this.#remainingProcesses()) {
      this.#onProblem(`process ${pid} of the app did not end`);
      kill(pid);
    }
    await closed;
    this.reportPrinted();
  }

  async #remainingProcesses(): Promise<number[]> {
    const remaining = () => processesOf(this.#process.pid, this.#mark);
    try {
      await expect.poll(remaining, { timeout: HELPERS_TIMEOUT_MS, intervals: [50] }).toEqual([]);
      return [];
    } catch {
      return remaining();
    }
  }

  #watch(page: Page): void {
    page.on('pageerror', (error) => this.#onProblem(`page error: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error') this.#onProblem(`page console: ${message.text()}`);
    });
    page.on('crash', () => this.#onProblem('the page crashed'));
  }
}
