/** One of the processes of processes.ts. It prints a line when it is ready and, after a line from outside, its result. */
import { once } from 'node:events';
import type { Durability } from '../core/sqlite/file/prepare-connection.ts';
import { SqliteTransport } from '../core/sqlite/sqlite-transport.ts';
import { EVENT } from './backlog.ts';

export interface ProcessResult {
  readonly rounds: number;
  readonly longestMs: number;
}

const [path = '', durability = '', forMs = '', group = ''] = process.argv.slice(2);
const transport = new SqliteTransport({ path, durability: durability as Durability });
console.log('ready');
await once(process.stdin, 'data');
let rounds = 0;
let longestMs = 0;
const end = performance.now() + Number(forMs);
for (let start = performance.now(); start < end; rounds++) {
  transport.publish(group, EVENT);
  const lease = transport.claim(`worker of ${group}`, 60_000);
  if (lease) transport.ack(lease);
  const now = performance.now();
  longestMs = Math.max(longestMs, now - start);
  start = now;
}
console.log(JSON.stringify({ rounds, longestMs } satisfies ProcessResult));
transport.close();
