/** Program: a busy writer that will be killed. It writes down what it promises, in one write a line. */
import { openSync, writeSync } from 'node:fs';
import {
  AsyncSqliteTransport,
  type Durability,
  type Lease,
  SqliteTransport,
  type Transport,
} from '../../../index.ts';
import type { Line } from './promises.ts';
import { randomFrom } from './random.ts';
import { told } from './told.ts';

export interface DoomedArguments {
  readonly file: string;
  readonly log: string;
  readonly seed: number;
  /** Values from here on are free. */
  readonly firstValue: number;
  readonly durability: Durability;
  /** Over a thread of its own. */
  readonly onThread: boolean;
  /** Left out: goes on until it is killed. */
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
} = told<DoomedArguments>();
const random = randomFrom(seed);
const out = openSync(log, 'a');
const say = (line: Line): number => writeSync(out, `${JSON.stringify(line)}\n`);
let value = firstValue;

const options = { path: file, durability };
const queue: Transport = onThread ? new AsyncSqliteTransport(options) : new SqliteTransport(options);
await queue.release((await queue.holders()).map(({ workerId }) => workerId));
process.stdout.write('"up"\n');

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
  // Random walks around a short backlog, so that groups often end and begin.
  for (let claims = random() * 3; claims > 0; claims--) {
    const lease = await queue.claim('doomed', 60_000);
    if (lease) await settle(lease);
  }
}
await queue.close();
