/** Program: publishes, claims, settles, extends and abandons messages for a while, then prints its log. */
import { systemClock } from '../../../contract/clock.ts';
import { LeaseLost } from '../../../contract/errors.ts';
import type { Lease, Transport } from '../../../contract/transport.ts';
import { AsyncSqliteTransport } from '../../async/async-transport.ts';
import { SqliteTransport } from '../../sqlite-transport.ts';
import { type Delivery, type LogLine, microseconds } from './delivery-log.ts';
import { programArguments, waitForStart } from './program-side.ts';
import { randomFrom } from './random.ts';

export interface WorkerArguments {
  readonly file: string;
  readonly worker: string;
  readonly seed: number;
  /** How long to work. */
  readonly ms: number;
  readonly groups: number;
  /** Uses AsyncSqliteTransport. */
  readonly onThread?: boolean;
}

const { file, worker, seed, ms, groups, onThread } = programArguments<WorkerArguments>();
const random = randomFrom(seed);
const log: LogLine[] = [];
await waitForStart();
const options = { path: file, durability: 'normal' } as const;
const queue: Transport = onThread ? new AsyncSqliteTransport(options) : new SqliteTransport(options);

async function publish(): Promise<void> {
  const group = `g${Math.floor(random() * groups)}`;
  log.push({ published: await queue.publish(group, { by: worker }), group });
}

async function deliver(): Promise<void> {
  // Only short leases are abandoned: a long one would block its group for the rest of this run.
  const isShort = random() < 0.1;
  const visibility = isShort ? 5 : 60_000;
  const lease = await queue.claim(worker, visibility);
  if (!lease) return publish();
  const since = microseconds();
  const claimed = { worker, seq: lease.seq, group: lease.groupId, since, at: systemClock.now() };
  if (random() < 0.2) await publish();
  const held = random() < 0.2 ? await extended(lease, visibility) : lease;
  if (held && (!isShort || random() < 0.5)) log.push({ ...claimed, ...(await settled(held, since)) });
  else log.push({ ...claimed, end: 'left', until: since, expiresAt: (held ?? lease).expiresAt });
}

async function extended(lease: Lease, visibility: number): Promise<Lease | null> {
  try {
    return await queue.extend(lease, visibility);
  } catch (error) {
    if (error instanceof LeaseLost) return null;
    throw error;
  }
}

async function settled(lease: Lease, since: number): Promise<Pick<Delivery, 'end' | 'until' | 'expiresAt'>> {
  const { expiresAt } = lease;
  const until = microseconds();
  const choice = random();
  try {
    if (choice < 0.7) {
      await queue.ack(lease);
      return { end: 'acked', until, expiresAt };
    }
    if (choice < 0.8) {
      await queue.bury(lease, { error: 'by choice' });
      return { end: 'buried', until, expiresAt };
    }
    if (choice < 0.9) {
      await queue.nack(lease, 0, { error: 'by choice' });
      return { end: 'nacked', until, expiresAt };
    }
    await queue.nack(lease, 3);
    return { end: 'parked', until, expiresAt };
  } catch (error) {
    // It lapsed and another worker took it, at an unknown time. So it counts as held for a moment only.
    if (error instanceof LeaseLost) return { end: 'left', until: since, expiresAt };
    throw error;
  }
}

// The time counts from the first answer, since a thread takes a while to start.
await publish();
const end = systemClock.now() + ms;
while (systemClock.now() < end) await (random() < 0.4 ? publish() : deliver());
await queue.close();
process.stdout.write(log.map((line) => `${JSON.stringify(line)}\n`).join(''));
