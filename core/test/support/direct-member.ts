/** Program: calls the verbs of a transport at random until it is told to end, or is killed. */
import { LeaseLost } from '../../contract/errors.ts';
import type { Lease, Transport } from '../../contract/transport.ts';
import { member, open, say } from './member.ts';

const me = await member();
const { args, random } = me;
let isOver = false;
void me.over.then(() => {
  isOver = true;
});
/** Only short leases are abandoned: a long one would block its group. */
const SHORT_MS = 20;

let queue: Transport<string> = open(me);
await Promise.resolve(args.dead)
  .then((dead) => queue.release(dead))
  .catch(goOn);
say('up');
const rounds = args.rounds ?? Number.POSITIVE_INFINITY;
for (let round = 0; round < rounds && !isOver; round++) {
  // Let the message that ends this process arrive.
  if (round % 8 === 0) await new Promise(setImmediate);
  await (random() < 0.35 ? publish() : deliver()).catch(goOn);
}
await queue.close();
me.exit();

/** A disk that fails or a lock that stays is this run's affair. The history has the error. */
async function goOn(error: unknown): Promise<void> {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') throw error;
  if (error instanceof LeaseLost) return;
  if (code === 'CLOSED' || code === 'THREAD_FAILED') queue = open(me);
}

async function publish(): Promise<void> {
  const first = me.next();
  if (random() < 0.8) await queue.publish(first.groupId, first.event);
  else await queue.publishMany([first, me.next(), { ...me.next(), groupId: first.groupId }]);
}

async function deliver(): Promise<void> {
  const isShort = random() < 0.1;
  const visibilityMs = isShort ? SHORT_MS : args.visibilityMs;
  const leases =
    random() < 0.7
      ? [await queue.claim(args.name, visibilityMs)]
      : await queue.claimMany(args.name, visibilityMs, 3);
  for (const lease of leases) {
    if (!lease || (isShort && random() < 0.5)) continue;
    // The others are settled all the same: a long lease must not be left.
    await settle(lease, visibilityMs).catch(goOn);
  }
}

async function settle(lease: Lease<string>, visibilityMs: number): Promise<void> {
  const choice = random();
  if (choice < 0.1) await queue.nack(lease, 0, { error: 'by choice' });
  else if (choice < 0.15) await queue.nack(lease, 3, { countAttempt: false });
  else if (choice < 0.25) await queue.bury(lease, { error: 'by choice' });
  else if (choice < 0.35) await settle(await queue.extend(lease, visibilityMs), visibilityMs);
  else if (choice < 0.65) await queue.ack(lease);
  else {
    const { claimed } = await queue.ackAndClaimMany([lease], args.name, args.visibilityMs, 1);
    for (const next of claimed) await settle(next, args.visibilityMs);
  }
}
