/**
 * A program that opens an untrusted file whose schema has no end, and ends when the child begins to open it: by process.exit(),
 * by a signal of the test, or only the thread that opened it. The child inherits the streams, so these end with the last of both.
 */
import { closeSync } from 'node:fs';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { forkChild } from '../../rpc/fork-child.ts';
import { openAdminWith } from '../open-admin.ts';

export type End = 'exit' | 'signal' | 'end of the thread';

const { path, end } = JSON.parse(process.argv[2] ?? '') as { path: string; end: End };

function openHungAdmin(onUp: () => void): void {
  const admin = openAdminWith(
    (file, argument, events) =>
      forkChild(file, argument, {
        ...events,
        onMessage(message) {
          events.onMessage(message);
          onUp();
        },
      }),
    { path, untrusted: true },
  );
  void admin.overview();
}

const sayUp = () => void process.stdout.write('"up"\n');

if (!isMainThread) openHungAdmin(() => parentPort?.postMessage('up'));
else if (end !== 'end of the thread') {
  openHungAdmin(() => {
    sayUp();
    if (end === 'exit') process.exit(0);
  });
} else {
  const thread = new Worker(new URL(import.meta.url), { argv: [process.argv[2]] });
  thread.once('message', async () => {
    sayUp();
    await thread.terminate();
    // The child alone has the streams now.
    closeSync(1);
    closeSync(2);
  });
  // Until the test ends its input.
  process.stdin.resume();
}
