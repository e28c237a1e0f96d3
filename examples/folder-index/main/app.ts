/** The app's life: one instance for each data folder, its windows, and an end that finishes or gives back its work. */
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { app, type BrowserWindow, dialog, powerMonitor } from 'electron';
import { bindWorkerToApp } from '../../../electron/main/bind-worker-to-app.ts';
import { openInspector } from '../../../electron/main/open-inspector.ts';
import { Indexing } from './indexing.ts';
import { openMainWindow } from './main-window.ts';
import { setMenu } from './menu.ts';
import { runUnattended } from './screenshots.ts';
import { type StartOptions, startOptions } from './start-options.ts';

const STOP_WITHIN_MS = 2_000;

/** Electron run on a folder (`electron PATH …`) has that path before the app's own arguments. */
function ownArguments(): string[] {
  const args = process.argv.slice(1);
  return process.defaultApp ? args.slice(args.findIndex((arg) => !arg.startsWith('-')) + 1) : args;
}

export function startFolderIndex(): void {
  const options = startOptions(ownArguments(), process.cwd());
  app.setName('Folder Index');
  const wanted = options.data ?? join(app.getPath('appData'), 'Folder Index');
  mkdirSync(wanted, { recursive: true });
  // By its real name: the walk passes over it, however the folder to index leads there.
  const data = realpathSync(wanted);
  app.setPath('userData', data);
  // Else a window behind another one stops painting, and a picture of it never comes.
  if (options.unattended) app.commandLine.appendSwitch('disable-backgrounding-occluded-windows');
  // One process for each data folder: whatever the queue says is being read by another is then left from a crash.
  if (!app.requestSingleInstanceLock()) {
    if (options.unattended) fail(options, new Error(`Another Folder Index is at work in ${data}.`));
    else app.quit();
    return;
  }
  app
    .whenReady()
    .then(() => run(options, data))
    .catch((error) => fail(options, error));
}

async function run(options: StartOptions, data: string): Promise<void> {
  const { paused } = options;
  if (!statSync(options.folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`${options.folder} is no folder: give one to index.`);
  const folder = realpathSync(options.folder);
  const indexing = await Indexing.start({
    folder,
    data,
    paused,
    warn: (what, error) => console.warn(`${what}: ${messageOf(error)}`),
    onFailure: (error) => fail(options, error),
  });
  tieToApp(indexing);
  const inspect = () => openInspector({ admin: indexing.admin, title: 'Background jobs — Folder Index' });
  const actions = {
    openInspector: () => void inspect(),
    pause: () => indexing.pause(),
    resume: () => indexing.resume(),
  };
  setMenu(actions, paused);
  indexing.worker.on('state', ({ state }) => {
    if (state === 'paused' || state === 'running') setMenu(actions, state === 'paused');
  });
  const window = await openMainWindow(indexing, actions.openInspector);
  // The inspector alone keeps no app alive.
  window.once('closed', () => app.quit());
  app.on('second-instance', () => show(window));
  if (!options.unattended) return;
  await runUnattended({ indexing, window, openInspector: inspect, folder: options.unattended });
  app.quit();
}

function show(window: BrowserWindow): void {
  if (window.isDestroyed()) return;
  if (window.isMinimized()) window.restore();
  window.focus();
}

/**
 * Sleep, battery and quitting. A quit waits for the files in hand, with a limit, and then for the files and threads to
 * close; asked again meanwhile it goes on waiting.
 */
function tieToApp(indexing: Indexing): void {
  let isStopped = false;
  app.on('will-quit', (event) => {
    if (isStopped) return;
    event.preventDefault();
    void indexing.stop(STOP_WITHIN_MS).finally(() => {
      isStopped = true;
      app.quit();
    });
  });
  bindWorkerToApp(indexing.worker, { app, powerMonitor, stopTimeoutMs: STOP_WITHIN_MS });
}

function fail({ unattended }: StartOptions, error: unknown): void {
  console.error(error);
  if (!unattended) dialog.showErrorBox('Folder Index cannot go on', messageOf(error));
  app.exit(1);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
