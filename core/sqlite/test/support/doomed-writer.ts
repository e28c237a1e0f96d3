/**
 * Program: a busy writer that will be killed. It logs each promise with one write. It imports no more of core than it needs,
 * since it is started hundreds of times.
 */
import { openSync, writeSync } from 'node:fs';
import type { Lease, Transport } from '../../../contract/transport.ts';
import { AsyncSqliteTransport } from '../../async/async-transport.ts';
import type { Durability } from '../../file/prepare-connection.ts';
import { SqliteTransport } from '../../sqlite-transport.ts';
import { programArguments } from './program-side.ts';
import type { Line } from './promises.ts';
import { randomFrom } from './random.ts';

export interface DoomedArguments {
  readonly file: string;
  readonly log: string;
  readonly seed: number;
  /** The first value to publish; it counts up from here. */
  readonly firstValue: number;
  readonly durability: Durability;
  /** Uses AsyncSqliteTransport. */
  readonly onThread: boolean;
  /** Default: runs until it is killed. */
  readonly rounds?: number;
}

const {
  file,
  log,
  seed,
  firstValue,
  durability,
  onThread,
  rounds = Number.POSITIVE_INFINITY,
} = programArguments<DoomedArguments>();
const READY_AFTER_ROUNDS = 3;
const random = randomFrom(seed);
const out = openSync(log, 'a');
const say = (line: Line): number => writeSync(out, `${JSON.stringify(line)}\n`);
let value = firstValue;

const options = { path: file, durability };
const queue: Transport = onThread ? new AsyncSqliteTransport(options) : new SqliteTransport(options);
await queue.release((await queue.holders()).holders.map(({ workerId }) => workerId));

async function publish(): Promise<void> {
  const group = `g${Math.floor(random() * 5)}`;
  const values = Array.from({ length: random() < 0.3 ? 4 : 1 }, () => value++);
  say({ try: values, group });
  say({
    done: await queue.publishMany(values.map((event) => ({ groupId: group, event, priority: event % 5 }))),
  });
}

async function settle(lease: Lease): Promise<void> {
  const choice = random();
  if (choice < 0.15) {
    await queue.nack(lease, choice < 0.1 ? 0 : 1, { error: 'by choice' });
  } else if (choice < 0.2) {
    await settle(await queue.extend(lease, 50_000));
  } else if (choice < 0.3) {
    say({ settle: lease.seq });
    await queue.bury(lease, { error: 'by choice' });
    say({ buried: lease.seq });
  } else {
    say({ settle: lease.seq });
    const next = choice < 0.6 ? await queue.ackAndClaim(lease, 60_000) : await queue.ack(lease);
    say({ acked: lease.seq });
    if (next) await settle(next);
  }
}

for (let round = 0; round < rounds; round++) {
  await publish();
  // The backlog stays short, so that groups often end and begin.
  for (let claims = random() * 3; claims > 0; claims--) {
    const lease = await queue.claim('doomed', 60_000);
    if (lease) await settle(lease);
  }
  // A writer that is killed at work has done some, even on a slow machine.
  if (round === READY_AFTER_ROUNDS) process.stdout.write('"up"\n');
}
await queue.close();
