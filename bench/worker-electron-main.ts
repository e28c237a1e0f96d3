/** The app that worker-electron.ts builds and runs: prints one line of JSON and quits. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { app } from 'electron';
import { AsyncSqliteTransport, SqliteTransport } from '../core/index.ts';
import { type Held, heldWhileDraining } from './worker-held.ts';

void app.whenReady().then(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-electron-bench-'));
  const threadFile = new URL('./transport.thread.js', import.meta.url);
  const held: Held[] = [];
  // The first drain of each warms up.
  for (const round of [0, 1]) {
    const path = join(folder, `${round}.db`);
    held[0] = await heldWhileDraining(new SqliteTransport({ path, durability: 'normal' }));
    held[1] = await heldWhileDraining(
      new AsyncSqliteTransport({ path: `${path}.async`, durability: 'normal', threadFile }),
    );
  }
  console.log(JSON.stringify(held));
  rmSync(folder, { recursive: true, force: true });
  app.quit();
});
