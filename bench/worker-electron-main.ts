/** The app that worker-electron.ts builds and runs: prints one line of JSON and quits. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { app } from 'electron';
import { heldWhileDraining } from './worker-held.ts';

void app.whenReady().then(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-electron-bench-'));
  const held = [];
  // The first drain warms up.
  for (const round of [0, 1]) held.push(await heldWhileDraining(join(folder, `${round}.db`)));
  console.log(JSON.stringify(held[1]));
  rmSync(folder, { recursive: true, force: true });
  app.quit();
});
