/** The life of the app: one instance for each data folder, its windows, and a quit that completes or releases running work. */
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { app, type BrowserWindow, dialog, powerMonitor } from 'electron';
import { bindWorkerToApp, openInspector } from 'leasehold/electron';
import { Indexing } from './indexing.ts';
import { inspectFile } from './inspect-file.ts';
import { openMainWindow } from './main-window.ts';
import { setMenu } from './menu.ts';
import { registerPageScheme } from './page-session.ts';
import { takeScreenshots } from './screenshots.ts';
import { type StartOptions, startOptions } from './start-options.ts';

const STOP_TIMEOUT_MS = 2_000;

/** With `electron PATH …`, that path comes before the app's own arguments. */
function ownArguments(): string[] {
  const args = process.argv.slice(1);
  return process.defaultApp ? args.slice(args.findIndex((arg) => !arg.startsWith('-')) + 1) : args;
}

export function startFolderIndex(): void {
  const options = startOptions(ownArguments(), process.cwd());
  app.setName('Folder Index');
  const dataFolder = options.data ?? join(app.getPath('appData'), 'Folder Index');
  mkdirSync(dataFolder, { recursive: true });
  // The real path: the walk skips this folder, also when the folder to index is reached through a link.
  const data = realpathSync(dataFolder);
  app.setPath('userData', data);
  // A window behind another one stops painting, and capturePage would wait.
  if (options.unattended) app.commandLine.appendSwitch('disable-backgrounding-occluded-windows');
  // With one process for each data folder, every lease in the queue at the start is from a dead process.
  if (!app.requestSingleInstanceLock()) {
    if (options.unattended) void fail(options, new Error(`Another Folder Index already uses ${data}.`));
    else app.quit();
    return;
  }
  registerPageScheme();
  app
    .whenReady()
    .then(() => run(options, data))
    .catch((error) => fail(options, error));
}

async function run(options: StartOptions, data: string): Promise<void> {
  const { paused } = options;
  if (!statSync(options.folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`${options.folder} is not a folder. Pass a folder to index.`);
  const indexing = await Indexing.start({
    folder: realpathSync(options.folder),
    data,
    paused,
    warn: (what, error) => console.warn(`${what}: ${messageOf(error)}`),
    onFailure: (error) => void fail(options, error),
  });
  bindToApp(indexing);
  const inspect = () => openInspector({ admin: indexing.admin, title: 'Background jobs — Folder Index' });
  const actions = {
    openInspector: () => void inspect(),
    inspectFile: () => void inspectFile(),
    pause: () => indexing.pause(),
    resume: () => indexing.resume(),
  };
  setMenu(actions, paused);
  indexing.worker.on('state', ({ state }) => {
    if (state === 'paused' || state === 'running') setMenu(actions, state === 'paused');
  });
  const window = await openMainWindow(indexing, actions.openInspector);
  app.on('second-instance', () => focus(window));
  if (!options.unattended) return;
  await takeScreenshots({ indexing, window, openInspector: inspect, folder: options.unattended });
  app.quit();
}

function focus(window: BrowserWindow): void {
  if (window.isDestroyed()) return;
  if (window.isMinimized()) window.restore();
  window.focus();
}

/**
 * Binds the indexing to sleep, battery and quit. A quit waits for running handlers, up to the timeout, and then for files and
 * threads to close. Further quits do not shorten the wait.
 */
function bindToApp(indexing: Indexing): void {
  let isStopped = false;
  app.on('will-quit', (event) => {
    if (isStopped) return;
    event.preventDefault();
    void indexing.stop(STOP_TIMEOUT_MS).finally(() => {
      isStopped = true;
      app.quit();
    });
  });
  bindWorkerToApp(indexing.worker, { app, powerMonitor, stopTimeoutMs: STOP_TIMEOUT_MS });
}

let hasFailed = false;

/** Only the first error is shown. The windows stay open behind it, so that what they show can still be read. */
async function fail({ unattended }: StartOptions, error: unknown): Promise<void> {
  if (hasFailed) return;
  hasFailed = true;
  console.error(error);
  const message = 'Folder Index cannot continue';
  if (!unattended)
    await dialog.showMessageBox({ type: 'error', message, detail: messageOf(error), buttons: ['Quit'] });
  app.exit(1);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
