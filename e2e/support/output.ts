import type { ChildProcess } from 'node:child_process';
import diagnosticsChannel from 'node:diagnostics_channel';

/** What one process printed. */
export interface Output {
  /** Everything so far. */
  all(): string;
  /** Ends the search for the process. Call it when the process has started. */
  release(): void;
}

/**
 * Collects the output of the next process of this executable. Playwright returns the process only after it has connected to it, and
 * the output of the start would be lost.
 */
export function captureOutput(executablePath: string): Output {
  let output = '';
  const append = (chunk: Buffer) => {
    output += chunk;
  };
  const onProcess = (message: unknown) => {
    const { process: child } = message as { process: ChildProcess };
    // The channel reports a process before it has pipes.
    queueMicrotask(() => {
      if (child.spawnfile !== executablePath) return;
      child.stdout?.on('data', append);
      child.stderr?.on('data', append);
    });
  };
  diagnosticsChannel.subscribe('child_process', onProcess);
  return {
    all: () => output,
    release: () => diagnosticsChannel.unsubscribe('child_process', onProcess),
  };
}

const PROBLEM =
  /uncaught ?exception|unhandled ?(promise)? ?rejection|A JavaScript error occurred|^(?:\w*Error): |ERR_\w+|segmentation fault/i;

/** The lines of an output that report an error. */
export const problemLines = (output: string): string[] =>
  output.split('\n').filter((line) => PROBLEM.test(line));
