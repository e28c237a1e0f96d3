/** Program: does the same as our-worker, as far as the second client can, with another build of SQLite. */
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../../contract/clock.ts';
import { type LogLine, microseconds } from './delivery-log.ts';
import type { WorkerArguments } from './our-worker.ts';
import { programArguments, waitForStart } from './program-side.ts';
import { randomFrom } from './random.ts';
import { SecondClient } from './second-client.ts';

const { file, worker, seed, ms, groups } = programArguments<WorkerArguments>();
const random = randomFrom(seed);
const log: LogLine[] = [];
await waitForStart();
const db = new DatabaseSync(file);
const client = new SecondClient(db, () => systemClock.now() / 1_000);

function publish(): void {
  const group = `g${Math.floor(random() * groups)}`;
  log.push({ published: client.publish(group, { by: worker }), group });
}

function deliver(): void {
  const isShort = random() < 0.1;
  const visibility = isShort ? 5 : 60_000;
  const before = systemClock.now();
  const lease = client.claim(worker, visibility / 1_000);
  if (!lease) {
    publish();
    return;
  }
  const since = microseconds();
  const claimed = { worker, seq: lease.seq, group: lease.groupId, since, at: systemClock.now() };
  const expiresAt = before + visibility;
  // The second client's settles have no fence, so it must not settle a lease that may have lapsed.
  if (isShort) {
    log.push({ ...claimed, end: 'left', until: since, expiresAt });
    return;
  }
  if (random() < 0.2) publish();
  const until = microseconds();
  const choice = random();
  if (choice < 0.7) client.ack(lease);
  else client.nack(lease, choice < 0.85 ? 0 : 0.003);
  const end = choice < 0.7 ? 'acked' : choice < 0.85 ? 'nacked' : 'parked';
  log.push({ ...claimed, end, until, expiresAt });
}

const end = systemClock.now() + ms;
while (systemClock.now() < end) random() < 0.4 ? publish() : deliver();
db.close();
process.stdout.write(log.map((line) => `${JSON.stringify(line)}\n`).join(''));
