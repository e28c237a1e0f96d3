/** Runs one torture run in a process of its own, under a watchdog. */
import { fileURLToPath } from 'node:url';
import { superviseChild } from '../../core/sqlite/test/support/supervised-child.ts';
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

/** A run that hangs or ends by itself has a row that says so. */
export async function supervise(
  args: ChildArguments,
  onProgress: (line: string) => void,
  program = fileURLToPath(new URL('run.child.ts', import.meta.url)),
): Promise<Finished> {
  const began = performance.now();
  let start = { title: args.name, size: args.size ?? 0, unit: '', quietMs: START_MS };
  let last = 'nothing';
  let rows: readonly Row[] | undefined;
  const ended = await superviseChild<FromChild>(program, args, {
    quietMs: () => start.quietMs,
    onMessage(message) {
      if ('start' in message) start = message.start;
      else if ('rows' in message) rows = message.rows;
      else {
        last = message.progress;
        onProgress(last);
      }
      return true;
    },
  });
  const result = `it ${ended}, after "${last}"`;
  const { title, size, unit } = start;
  rows ??= [{ what: 'the run ends', target: 'with a report', result, met: false }];
  return { title, size, unit, seconds: (performance.now() - began) / 1000, rows };
}
