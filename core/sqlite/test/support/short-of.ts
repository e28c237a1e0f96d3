/** Program: calls every door while the process is short of something, and prints for each the code and message of its error. */
import { closeSync, mkdirSync, openSync, rmdirSync } from 'node:fs';
import { devNull } from 'node:os';
import { AsyncSqliteTransport, openAdmin, SqliteTransport } from '../../../index.ts';
import { programArguments } from './program-side.ts';

export type Trouble = 'descriptors' | 'working directory';

export interface Answer {
  readonly door: string;
  /** How many descriptors were left. */
  readonly free: number;
  readonly error: { readonly code: string; readonly message: string } | null;
}

const { folder, trouble } = programArguments<{ folder: string; trouble: Trouble }>();
const path = `${folder}/queue.db`;
const taken: number[] = [];

function leave(free: number): void {
  try {
    for (;;) taken.push(openSync(devNull, 'r'));
  } catch {
    // The limit is reached.
  }
  for (let n = 0; n < free; n++) closeSync(taken.pop() as number);
}

function giveBack(): void {
  for (const descriptor of taken.splice(0)) closeSync(descriptor);
}

async function call(door: string, free: number, act: () => unknown): Promise<void> {
  if (trouble === 'descriptors') leave(free);
  let error: Answer['error'] = null;
  try {
    await act();
  } catch (thrown) {
    const { code, message } = thrown as Error & { code: string };
    error = { code, message };
  }
  giveBack();
  process.stdout.write(`${JSON.stringify({ door, free, error } satisfies Answer)}\n`);
}

async function withClose<T extends { close(): unknown }>(
  opened: T,
  act: (opened: T) => unknown,
): Promise<void> {
  try {
    await act(opened);
  } finally {
    await opened.close();
  }
}

const openTransport = () => withClose(new SqliteTransport({ path }), () => undefined);
// The first queue of a process loads the driver's addon.
await call('the first SqliteTransport', 0, openTransport);

const queue = new SqliteTransport({ path, durability: 'normal' });
const asyncQueue = new AsyncSqliteTransport({ path });
await asyncQueue.dataVersion();
if (trouble === 'working directory') {
  mkdirSync(`${folder}/gone`);
  process.chdir(`${folder}/gone`);
  rmdirSync(`${folder}/gone`);
}

let copies = 0;
const target = () => `${folder}/copy-${copies++}`;
const admin = (untrusted: boolean) => () => withClose(openAdmin({ path, untrusted }), (it) => it.overview());

const DOORS: Record<string, () => unknown> = {
  SqliteTransport: openTransport,
  AsyncSqliteTransport: () => withClose(new AsyncSqliteTransport({ path }), (it) => it.dataVersion()),
  openAdmin: admin(false),
  'openAdmin, untrusted': admin(true),
  backup: () => queue.backup(target()),
  'backup of AsyncSqliteTransport': () => asyncQueue.backup(target()),
};
/** A thread needs four descriptors before it opens its file. */
const LEFT = trouble === 'descriptors' ? [0, 2, 4, 5, 6, 7] : [0];
for (const free of LEFT) for (const [door, act] of Object.entries(DOORS)) await call(door, free, act);

// The checkpoint thread cannot start, so the transport checkpoints by itself.
await call('checkpoints', 0, async () => {
  for (let n = 0; n < 4; n++) {
    queue.publishMany(Array.from({ length: 500 }, () => ({ groupId: 'g', event: 'x'.repeat(3000) })));
    await new Promise(setImmediate);
  }
});
queue.close();
await asyncQueue.close();
