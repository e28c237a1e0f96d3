/** The app that worker-electron.ts builds and runs. It prints one line of JSON and quits. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { app } from 'electron';
import { AsyncSqliteTransport, SqliteTransport } from '../core/index.ts';
import { delayWhileDraining, type EventLoopDelay } from './worker-event-loop.ts';

void app.whenReady().then(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-electron-bench-'));
  const threadFile = new URL('./transport.thread.js', import.meta.url);
  const delays: EventLoopDelay[] = [];
  // The first round is the warm-up.
  for (const round of [0, 1]) {
    const path = join(folder, `${round}.db`);
    delays[0] = await delayWhileDraining(() => new SqliteTransport({ path, durability: 'normal' }));
    delays[1] = await delayWhileDraining(
      () => new AsyncSqliteTransport({ path: `${path}.async`, durability: 'normal', threadFile }),
    );
    delays[2] = await delayWhileDraining(
      () => new SqliteTransport({ path: `${path}.full`, durability: 'full' }),
    );
  }
  console.log(JSON.stringify(delays));
  rmSync(folder, { recursive: true, force: true });
  app.quit();
});
