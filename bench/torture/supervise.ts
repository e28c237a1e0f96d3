/** Runs one torture run in a process of its own, under a watchdog. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Row } from '../row.ts';
import type { ChildArguments, FromChild } from './run.child.ts';

export interface Finished {
  readonly title: string;
  readonly size: number;
  readonly unit: string;
  readonly seconds: number;
  readonly rows: readonly Row[];
}

/** Until the run has said how long it may be quiet. */
const START_MS = 60_000;

/** Never rejects: a run that hangs or ends by itself has a row that says so. */
export function supervise(
  args: ChildArguments,
  onProgress: (line: string) => void,
  program = fileURLToPath(new URL('run.child.ts', import.meta.url)),
): Promise<Finished> {
  const began = performance.now();
  const child = fork(program, [JSON.stringify(args)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  let start = { title: args.name, size: args.size ?? 0, unit: '', quietMs: START_MS };
  let last = 'nothing';
  let rows: readonly Row[] | undefined;
  let hung = false;
  let watchdog: NodeJS.Timeout;
  const rewind = () => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => {
      hung = true;
      child.kill('SIGKILL');
    }, start.quietMs);
  };
  rewind();
  child.on('message', (message: FromChild) => {
    if ('start' in message) start = message.start;
    else if ('rows' in message) rows = message.rows;
    else {
      last = message.progress;
      onProgress(last);
    }
    rewind();
  });
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      clearTimeout(watchdog);
      const result = hung
        ? `no progress for ${start.quietMs / 1000} s after "${last}": killed`
        : `it ended with ${signal ?? code} after "${last}"`;
      const ended: Row = { what: 'the run ends', target: 'with a report', result, met: false };
      const { title, size, unit } = start;
      resolve({ title, size, unit, seconds: (performance.now() - began) / 1000, rows: rows ?? [ended] });
    });
  });
}
