/**
 * A queue of uploads with one group for each account: the files of an account upload in order, and accounts upload in parallel.
 *
 *     node examples/uploads.ts uploads.db      (after `npm run build`)
 */
import { pathToFileURL } from 'node:url';
import { Park, runWorker, SqliteTransport } from 'leasehold';

type Job =
  | { readonly kind: 'upload'; readonly file: string; readonly bytes: number }
  | { readonly kind: 'forget'; readonly file: string };

/** Publishes three messages, handles all messages of the queue, and returns a line for each, in order. */
export async function runUploads(path: string): Promise<string[]> {
  const queue = new SqliteTransport<Job>({ path });
  const done: string[] = [];
  let online = false;

  const worker = runWorker(
    queue,
    {
      handlers: {
        async upload({ event }, { signal, attempt, progress }) {
          if (!online) {
            online = true;
            throw new Park({ delayMs: 20, reason: 'offline' });
          }
          for (let sent = 0; sent < event.bytes && !signal.aborted; sent += 100) {
            progress(sent / event.bytes, `${sent} of ${event.bytes} bytes`);
            await new Promise(setImmediate);
          }
          if (event.file === 'flaky.jpg' && attempt === 1) throw new Error('connection reset');
          done.push(`uploaded ${event.file}, attempt ${attempt}`);
        },
        forget({ event }) {
          done.push(`forgot ${event.file}`);
        },
      },
    },
    { app: 'uploads-example', concurrency: 2, backoff: { initialMs: 20 } },
  );

  queue.publish('anna', { kind: 'upload', file: 'flaky.jpg', bytes: 500 });
  queue.publish('anna', { kind: 'forget', file: 'flaky.jpg' });
  queue.publish('ben', { kind: 'upload', file: 'song.mp3', bytes: 900 });

  // An idle worker does not keep the process alive. An app has its windows for that.
  const alive = setInterval(() => {}, 60_000);
  await new Promise<void>((resolve) =>
    worker.on('completed', () => worker.snapshot().totals.completed === 3 && resolve()),
  );
  clearInterval(alive);
  await worker.stop();
  queue.close();
  return done;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for (const line of await runUploads(process.argv[2] ?? ':memory:')) console.log(line);
