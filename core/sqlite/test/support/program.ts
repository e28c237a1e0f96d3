import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A program that ends by itself leaves its compiled code here, and later ones start faster. The unit suite has one for all. */
const compiled = process.env.NODE_COMPILE_CACHE ?? ownFolder();

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-test-compiled-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const UP = '"up"';

/** One of the programs in this folder, in a process of its own. */
export class Program {
  readonly child: ChildProcess;
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  #output = '';
  #errors = '';

  /** `env` is added to this process's environment. */
  constructor(name: string, args: object, env: Readonly<Record<string, string>> = {}) {
    const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
    const flags = ['--disable-warning=ExperimentalWarning', file, JSON.stringify(args)];
    this.child = spawn(process.execPath, flags, {
      env: { ...process.env, NODE_COMPILE_CACHE: compiled, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    // A program may end before it is told anything.
    this.child.stdin?.on('error', () => {});
    this.exited = new Promise((resolve, reject) => {
      this.child.once('error', reject);
      // 'close' comes after the last byte of its output, 'exit' may come before.
      this.child.once('close', (code, signal) => resolve({ code, signal }));
    });
  }

  /** What it wrote to stderr so far. */
  get errors(): string {
    return this.#errors;
  }

  /** Resolves with this many lines of output. A program writes the first when it is ready. */
  async ready(lines = 1): Promise<void> {
    const isReady = () => this.#output.split('\n').length > lines;
    if (isReady()) return;
    await new Promise<void>((resolve, reject) => {
      this.child.stdout?.on('data', () => isReady() && resolve());
      this.exited.then(
        () => reject(new Error(`the program ended before it was ready: ${this.#errors}`)),
        reject,
      );
    });
  }

  /** Waits for the end, which must be a success, and returns the lines of output, each of them JSON. */
  async lines<T>(): Promise<T[]> {
    const { code, signal } = await this.exited;
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, this.#errors);
    return this.#output
      .split('\n')
      .filter((line) => line !== '' && line !== UP)
      .map((line) => JSON.parse(line) as T);
  }

  /** Tells a program to begin that waits for its first input. */
  go(): void {
    this.child.stdin?.write('go\n');
  }

  /** Tells a program to end that works until the end of its input. */
  finish(): void {
    this.child.stdin?.end();
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}

/** Runs these programs to their end. None outlives the call, even when it fails. */
export async function runAll<T>(
  programs: readonly (readonly [name: string, args: object])[],
  { together = false, env = {} } = {},
): Promise<T[]> {
  const running = programs.map(([name, args]) => new Program(name, args, env));
  try {
    if (together) {
      await Promise.all(running.map((program) => program.ready()));
      for (const program of running) program.go();
    }
    return (await Promise.all(running.map((program) => program.lines<T>()))).flat();
  } finally {
    for (const program of running) program.kill();
    await Promise.allSettled(running.map(({ exited }) => exited));
  }
}
