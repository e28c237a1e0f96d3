/** Six processes that write to one file without a pause: how the write lock is shared between them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { inFolder } from './measure.ts';
import type { ProcessResult } from './processes-child.ts';
import { type Bench, perSecond, type Row } from './row.ts';

const PROCESSES = 6;
const FOR_MS = 5000;
const BUSY_TIMEOUT_MS = 5000;
const LEAST_SHARE = 0.25;

export const processes: Bench = {
  title: `${PROCESSES} processes on one file, each publishes, claims and acks without a pause for ${FOR_MS / 1000} s`,
  async run() {
    const rows: Row[] = [];
    for (const durability of ['full', 'normal'])
      rows.push(...(await inFolder((folder) => measure(join(folder, 'queue.db'), durability))));
    return rows;
  },
};

async function measure(path: string, durability: string): Promise<Row[]> {
  const child = fileURLToPath(new URL('./processes-child.ts', import.meta.url));
  const children = Array.from({ length: PROCESSES }, (_, n) => {
    const args = [child, path, durability, `${FOR_MS}`, `g${n}`];
    const { stdin, stdout } = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    return { stdin, ready: once(stdout, 'readable'), output: text(stdout) };
  });
  await Promise.all(children.map(({ ready }) => ready));
  for (const { stdin } of children) stdin.end('go');
  const outputs = await Promise.all(children.map(({ output }) => output));
  const results = outputs.map((output) => JSON.parse(output.split('\n')[1] ?? '') as ProcessResult);
  const rounds = results.map((result) => result.rounds);
  const total = rounds.reduce((sum, each) => sum + each, 0);
  const share = Math.min(...rounds) / (total / PROCESSES);
  const longest = Math.max(...results.map(({ longestMs }) => longestMs));
  const name = durability.toUpperCase();
  return [
    {
      what: `${name}: rounds of the slowest process, against the mean`,
      target: `at least ${LEAST_SHARE}`,
      result: `${share.toFixed(2)} (${rounds.join(', ')}; together ${perSecond(total, FOR_MS)})`,
      met: share >= LEAST_SHARE,
    },
    {
      what: `${name}: the longest round of any process`,
      target: `under ${BUSY_TIMEOUT_MS} ms, the default busyTimeoutMs`,
      result: `${longest.toFixed(0)} ms`,
      met: longest < BUSY_TIMEOUT_MS,
    },
  ];
}
