/** Program: runs a worker whose handlers end in every way, and publishes, until it is told to end, or is killed. */
import { Bury, Park, runWorker } from '../../worker/index.ts';
import { member, open, say } from './member.ts';

const me = await member();
const { args, random, history, clock } = me;
const queue = open(me);

const finished = Promise.withResolvers<void>();
const killsItselfAt = args.killsItself ? 1 + Math.floor(random() * 50) : null;
let handled = 0;

const work = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function handle(seq: number, signal: AbortSignal): Promise<unknown> {
  const choice = random();
  if (choice < 0.3) return undefined;
  await (choice < 0.5 ? new Promise(setImmediate) : work(random() * 5));
  if (choice < 0.7) return undefined;
  if (choice < 0.8) throw new Error('a failure');
  if (choice < 0.85) throw new Park({ delayMs: random() * 20 });
  if (choice < 0.87) return new Bury('by choice');
  // Never settles: it is abandoned after its time-out. It does nothing any more.
  if (choice < 0.88) {
    history.write({ end: seq });
    return new Promise(() => {});
  }
  if (choice < 0.89)
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  if (choice < 0.9) block();
  else await publish();
  return undefined;
}

/** Blocks the thread, and with it the renewal of all leases. */
function block(): void {
  const until = clock.monotonic() + 15;
  while (clock.monotonic() < until);
}

async function publish(): Promise<void> {
  const { groupId, event } = me.next();
  try {
    await queue.publish(groupId, event, { priority: random() < 0.5 ? 1 : 0 });
  } catch {
    // The disk failed, or a lock stayed. The history has the error.
  }
}

const worker = runWorker<string>(
  queue,
  async (message, { signal }) => {
    history.write({ start: message.seq, attempt: message.attempt });
    handled++;
    if (handled === args.rounds) finished.resolve();
    if (handled === killsItselfAt) {
      history.write({ ended: args.name, killed: true });
      process.kill(process.pid, 'SIGKILL');
    }
    try {
      return await handle(message.seq, signal);
    } finally {
      history.write({ end: message.seq });
    }
  },
  {
    app: 'history',
    clock,
    concurrency: 4,
    visibilityMs: args.visibilityMs,
    maxAttempts: 4,
    timeoutMs: 150,
    abortGraceMs: 20,
    pollMs: 10,
    backoff: { initialMs: 3, factor: 2, maxMs: 30 },
  },
);
const changes = setInterval(() => {
  const choice = random();
  if (choice < 0.1) worker.concurrency = 1 + Math.floor(random() * 10);
  else if (choice < 0.2) worker.minPriority = random() < 0.5 ? 1 : 0;
  else if (choice < 0.22) worker.pause();
  else worker.resume();
  void publish();
}, 10);

say('up');
await Promise.race([me.over, finished.promise]);
// An app that quits without delay: everything is given back before stop returns.
if (random() < 0.5) {
  void worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 });
  me.exit();
}
// A worker does not keep the process alive, and the interval does until it has stopped.
await worker.stop({ stopTimeoutMs: 50, abortGraceMs: 20 });
clearInterval(changes);
await queue.close();
me.exit();
