/**
 * A process with one worker, for tests in which processes end: `mortal-worker.program.ts FILE TRANSPORT END`.
 *
 * A message 'kills' ends the process by SIGKILL in its handler, 'long' lasts until its signal fires, and 'kept busy' calls the
 * transport all the time, so that a quit comes in the middle of a turn. All others are written to stdout. END is 'idle' (stop
 * when nothing is left; the fourth argument is maxAttempts), 'quit' (stop and process.exit in one go, as an app that its user quits) or 'stop' (stop with a grace
 * while a handler ignores its signal and nothing else keeps the process alive).
 */
import { writeSync } from 'node:fs';
import { AsyncSqliteTransport } from '../../../sqlite/async/async-transport.ts';
import { SqliteTransport } from '../../../sqlite/sqlite-transport.ts';
import { runWorker } from '../../index.ts';

const [path = '', transport = '', end = ''] = process.argv.slice(2);
const queue =
  transport === 'SqliteTransport'
    ? new SqliteTransport<string>({ path })
    : new AsyncSqliteTransport<string>({ path });

let quitSoon = false;
const worker = runWorker<string>(
  queue,
  ({ event, groupId }, { signal }) => {
    writeSync(1, `${groupId}\n`);
    if (event === 'kills') process.kill(process.pid, 'SIGKILL');
    if (event !== 'long') return;
    if (end === 'stop') {
      stopAlone();
      return new Promise(() => {});
    }
    quitSoon = true;
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  },
  { maxAttempts: end === 'idle' ? Number(process.argv[5]) : 2, pollMs: 0, concurrency: 4 },
);

function stopAlone(): void {
  clearInterval(alive);
  void worker.stop({ stopTimeoutMs: 20, abortGraceMs: 20 });
}

function quit(): void {
  void worker.stop({ stopTimeoutMs: 0, abortGraceMs: 0 });
  process.exit();
}

/** Ends the process at some moment after the long handler has started, while turns follow each other. */
async function quitLater(): Promise<void> {
  while (!quitSoon) await new Promise(setImmediate);
  for (let round = Number(process.argv[5]); round > 0; round--) {
    await new Promise(setImmediate);
    void queue.publish('busy', 'busy');
  }
  quit();
}

// A timer that is not unref'd keeps the process alive while the worker rests.
const alive = setInterval(() => {}, 1000);
if (end === 'quit') await quitLater();
else if (end === 'idle') {
  await new Promise((resolve) => worker.on('state', ({ state }) => state === 'running' && resolve(null)));
  await worker.idle();
  await worker.stop();
  await queue.close();
  clearInterval(alive);
}
