/** Launches the real app and collects its errors, so that a test fails even if it does not look at them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunningApp } from './running-app.ts';

export interface LaunchOptions {
  /** The folder to index. Default: a new temporary folder. */
  readonly folder?: string;
  /** The data folder. Default: a new temporary folder. Pass one to open the same data again. */
  readonly data?: string;
  /** Starts with indexing paused, so that the queue fills and stays as it is. */
  readonly paused?: boolean;
}

export class Launcher {
  readonly #folders: string[] = [];
  readonly #apps: RunningApp[] = [];
  readonly #expected: RegExp[] = [];
  #problems: string[] = [];

  /** Resolves when the first window has loaded. */
  async launch({ folder, data, paused = false }: LaunchOptions = {}): Promise<RunningApp> {
    const app = await RunningApp.launch({
      folder: folder ?? this.temporaryFolder(),
      data: data ?? this.temporaryFolder('data'),
      args: paused ? ['--paused'] : [],
      onProblem: (problem) => this.#problems.push(problem),
    });
    this.#apps.push(app);
    return app.waitForWindow();
  }

  /** A temporary folder, deleted when the launcher ends. */
  temporaryFolder(name = 'folder'): string {
    const folder = mkdtempSync(join(tmpdir(), `leasehold-e2e-${name}-`));
    this.#folders.push(folder);
    return folder;
  }

  /** Errors that match do not fail the test. */
  expectErrors(pattern: RegExp): void {
    this.#expected.push(pattern);
  }

  /** Throws if the apps had unexpected errors since the last check. */
  check(): void {
    for (const app of this.#apps) app.reportPrinted();
    const problems = this.#problems.filter((problem) => !this.#expected.some((each) => each.test(problem)));
    this.#problems = [];
    if (problems.length > 0) throw new Error(`The app had errors:\n${problems.join('\n')}`);
  }

  /** Closes all apps and deletes the folders. Resolves with what each app printed. */
  async end(): Promise<string[]> {
    for (const app of this.#apps) await app.close();
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
    return this.#apps.map((app) => app.output());
  }
}
