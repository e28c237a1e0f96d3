/**
 * One process of the torture run: a worker whose handlers do what the seed says. Every start and end is appended to one
 * log that all processes share (O_APPEND keeps whole lines in their true order). A parent's message stops it.
 */
import { openSync, writeSync } from 'node:fs';
import { systemClock } from '../../contract/clock.ts';
import { SqliteTransport } from '../../sqlite/sqlite-transport.ts';
import { randomFrom } from '../../sqlite/test/support/random.ts';
import { Bury, type Message, Park, runWorker } from '../index.ts';

const [path = '', logPath = '', seed = '0', mayCrash = 'no'] = process.argv.slice(2);
const random = randomFrom(Number(seed));
const log = openSync(logPath, 'a');
const say = (what: string, { seq, groupId }: { seq: number; groupId: string }) =>
  writeSync(log, `${what} ${process.pid} ${seq} ${groupId}\n`);

const transport = new SqliteTransport<number>({ path, durability: 'normal' });

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function act(message: Message<number>, signal: AbortSignal): Promise<unknown> {
  const dice = random();
  if (dice < 0.1) return;
  await (dice < 0.3 ? new Promise(setImmediate) : pause(random() * 3));
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
    // Never settles, whatever its signal says. From there on it does nothing, so it does not count as running.
    say('end', message);
    return new Promise(() => {});
  }
  if (dice < 0.885)
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  if (dice < 0.892 && mayCrash === 'yes') {
    say('crash', message);
    process.kill(process.pid, 'SIGKILL');
  }
  return;
}

const worker = runWorker(
  transport,
  async (message, { signal, progress }) => {
    say('start', message);
    progress(random());
    let hangs = true;
    try {
      const answer = act(message, signal);
      // A promise that never settles has said its end already.
      const result = await answer;
      hangs = false;
      return result;
    } catch (error) {
      hangs = false;
      throw error;
    } finally {
      if (!hangs) say('end', message);
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
worker.on('completed', (message) => say('acked', message));
worker.on('buried', (message) => say('buried', message));
worker.on('lease-lost', (message) => say('lost', message));
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
