/**
 * One process of the torture test: a worker whose handlers do what the seed decides. It appends every start and end of a
 * handler to a log that all processes share (O_APPEND writes whole lines in their true order), and tells its parent when
 * its first handler starts and whenever a message is settled. A message from its parent stops it.
 */
import { openSync, writeSync } from 'node:fs';
import { systemClock } from '../../../contract/clock.ts';
import { SqliteTransport } from '../../../sqlite/sqlite-transport.ts';
import { randomFrom } from '../../../sqlite/test/support/random.ts';
import { Bury, type Message, type MessageRef, Park, runWorker } from '../../index.ts';

const [path = '', logPath = '', seed = '0', mayCrash = 'no'] = process.argv.slice(2);
const random = randomFrom(Number(seed));
const log = openSync(logPath, 'a');
const write = (what: string, { seq, groupId }: Pick<MessageRef, 'seq' | 'groupId'>) =>
  writeSync(log, `${what} ${process.pid} ${seq} ${groupId}\n`);

const transport = new SqliteTransport<number>({ path, durability: 'normal' });

const work = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function handle(message: Message<number>, signal: AbortSignal): Promise<unknown> {
  const dice = random();
  if (dice < 0.1) return;
  await (dice < 0.3 ? new Promise(setImmediate) : work(random() * 3));
  if (dice < 0.6) return;
  if (dice < 0.75) throw new Error('a failure');
  if (dice < 0.8) throw new Park({ delayMs: random() * 30 });
  if (dice < 0.83) return new Park({ delayMs: random() * 30 });
  if (dice < 0.84) throw new Bury('buried on purpose');
  if (dice < 0.845) return Promise.reject(undefined);
  if (dice < 0.86) {
    const until = systemClock.monotonic() + 15;
    while (systemClock.monotonic() < until);
    return;
  }
  if (dice < 0.87) transport.publish(`g${Math.floor(random() * 40)}`, -1);
  if (dice < 0.88) {
    // Never settles, and ignores its signal. It does nothing from here on, so it does not count as running.
    write('end', message);
    return new Promise(() => {});
  }
  if (dice < 0.885)
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  if (dice < 0.892 && mayCrash === 'yes') {
    write('crash', message);
    process.kill(process.pid, 'SIGKILL');
  }
  return;
}

const worker = runWorker(
  transport,
  async (message, { signal, progress }) => {
    write('start', message);
    progress(random());
    try {
      // One that never settles has written its end itself.
      return await handle(message, signal);
    } finally {
      write('end', message);
    }
  },
  {
    app: 'torture',
    concurrency: 6,
    visibilityMs: 20_000,
    maxAttempts: 6,
    timeoutMs: 300,
    abortGraceMs: 30,
    pollMs: 20,
    backoff: { initialMs: 3, factor: 2, maxMs: 40 },
  },
);
worker.on('lease-lost', (message) => write('lost', message));
for (const outcome of ['completed', 'buried'] as const)
  worker.on(outcome, (message) => {
    write(outcome, message);
    process.send?.('settled');
  });
const sendStarted = () => {
  worker.off('started', sendStarted);
  process.send?.('started');
};
worker.on('started', sendStarted);

const meddle = setInterval(() => {
  const dice = random();
  if (dice < 0.3) worker.concurrency = 1 + Math.floor(random() * 10);
  else if (dice < 0.5) worker.minPriority = random() < 0.5 ? 1 : 0;
  else if (dice < 0.54) worker.pause();
  else worker.resume();
}, 50);

process.once('message', () => {
  clearInterval(meddle);
  void worker.stop({ stopTimeoutMs: 200, abortGraceMs: 50 }).then(() => {
    transport.close();
    process.disconnect();
    process.exit();
  });
});
