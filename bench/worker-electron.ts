/**
 * How long Electron's main process is held while a worker drains 20k there. It runs in Electron, not in Node: build it
 * with the app, or run it through the launcher that prepares Electron. Prints one line of JSON and quits.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { app } from 'electron';
import { heldWhileDraining } from './worker.ts';

void app.whenReady().then(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-electron-bench-'));
  console.log(JSON.stringify(await heldWhileDraining(join(folder, 'queue.db'))));
  rmSync(folder, { recursive: true, force: true });
  app.quit();
});
